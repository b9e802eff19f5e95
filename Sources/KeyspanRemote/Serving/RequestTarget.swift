#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// The target of a request to a publisher: the parts of the path behind its own, and the parameters of the query.
struct RequestTarget {
    /// The parts, such as `beta` and `changes`.
    let parts: [String]
    private let query: Substring.UTF8View

    /// The names of the query's parameters.
    private enum Parameter {
        static let platform = "platform"
        static let version = "version"
        static let cohort = "cohort"
        static let bucket = "bucket"
    }

    /// The query is not one of traits; the sentence says why.
    struct InvalidQuery: Error {
        let sentence: String
    }

    /// Reads a target; `nil` if it is not below a path.
    init?(_ target: String, below path: String) {
        let mark = UInt8(ascii: "?")
        let sides = Substring(target).utf8.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        guard sides[0].starts(with: path.utf8) else { return nil }
        let rest = sides[0].dropFirst(path.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return nil }
        parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .map { String(Substring($0)) }
        query = sides.count == 2 ? sides[1] : Substring().utf8
    }

    /// The traits that the query describes.
    ///
    /// Parameters of other names are ignored, so that a later client can send more.
    var traits: Result<ClientTraits, InvalidQuery> {
        if query.count > 2_048 { return .failure(InvalidQuery(sentence: "The query is longer than 2,048 bytes.")) }
        var parameters = TextDictionary<String>()
        for item in query.split(separator: UInt8(ascii: "&")) {
            let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = String(percentDecoding: sides[0]),
                let value = String(percentDecoding: sides[1]), parameters.updateValue(value, forKey: name) == nil
            else { return .failure(InvalidQuery(sentence: "A parameter has no value, comes twice, or is not UTF-8.")) }
        }
        var bucket: Int?
        if let text = parameters[Parameter.bucket] {
            let isNumber = text.utf8.count <= 3 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let number = Int(text) else {
                let largest = ClientTraits.bucketCount - 1
                return .failure(InvalidQuery(sentence: "The parameter bucket is not a number from 0 to \(largest)."))
            }
            bucket = number
        }
        let traits = ClientTraits(
            platform: parameters[Parameter.platform],
            version: parameters[Parameter.version],
            cohort: parameters[Parameter.cohort],
            bucket: bucket
        )
        guard let name = traits.invalidText else { return .success(traits) }
        let limit = ClientTraits.maximumLength
        return .failure(
            InvalidQuery(sentence: "The parameter \(name) has control characters or more than \(limit) bytes.")
        )
    }

    /// The query for traits, percent-encoded, in an order that is always the same.
    static func query(of traits: ClientTraits) -> String {
        let items: [(String, String?)] = [
            (Parameter.platform, traits.platform), (Parameter.version, traits.version),
            (Parameter.cohort, traits.cohort), (Parameter.bucket, traits.bucket.map(String.init)),
        ]
        return items.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }.joined(separator: "&")
    }
}

extension String {
    /// Decodes a part of a query, in which a plus sign stands for itself; `nil` if it is not percent-encoded UTF-8.
    fileprivate init?(percentDecoding text: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next(), let low = iterator.next(),
                let high = Character(Unicode.Scalar(high)).hexDigitValue,
                let low = Character(Unicode.Scalar(low)).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(validating: bytes, as: UTF8.self)
    }

    /// The text with all bytes percent-encoded but the unreserved ones of RFC 3986.
    fileprivate var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
#endif
