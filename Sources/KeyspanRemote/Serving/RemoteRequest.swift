#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// A request of HTTP to a ``SettingsPublisher``, in the words of no framework.
public struct RemoteRequest: Sendable {
    /// The method, such as `GET`.
    public let method: String
    /// The path with the query, as in the first line of a request: `/settings?platform=iOS`.
    public let target: String
    private let header: @Sendable (String) -> String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method, such as `GET`.
    ///   - target: The path with the query, percent-encoded as it was received.
    ///   - header: Looks a header up by its name in lower case; of several with one name, it joins the values with
    ///     commas.
    public init(method: String, target: String, header: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.method = method
        self.target = target
        self.header = header
    }

    /// The value of a header, by its name in lower case.
    func header(_ name: String) -> String? { header(name) }
}

/// The target of a request: the path and the parameters, without percent-encoding.
struct RequestTarget {
    let path: String
    private let parameters: TextDictionary<String>

    /// The names of the query's parameters.
    enum Parameter {
        static let platform = "platform"
        static let version = "version"
        static let cohort = "cohort"
        static let bucket = "bucket"
        static let after = "after"
    }

    /// Reads a target; `nil` if it is none, or has a parameter twice.
    init?(_ target: String) {
        guard target.utf8.count <= 8_192, target.utf8.first == UInt8(ascii: "/") else { return nil }
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = String(Substring(parts[0]))
        var parameters = TextDictionary<String>()
        for item in parts.dropFirst().joined().split(separator: UInt8(ascii: "&")) {
            let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = String(percentDecoding: sides[0]),
                let value = String(percentDecoding: sides[1]), parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.parameters = parameters
    }

    subscript(parameter: String) -> String? { parameters[parameter] }

    /// The client that the parameters describe; the name of the parameter that is wrong, if one is.
    ///
    /// Parameters of other names are ignored, so that a later client can send more.
    var client: Result<RemoteClient, InvalidParameter> {
        var bucket: Int?
        if let text = parameters[Parameter.bucket] {
            guard text.utf8.count <= 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text)
            else {
                return .failure(InvalidParameter(name: Parameter.bucket))
            }
            bucket = number
        }
        let client = RemoteClient(
            platform: parameters[Parameter.platform],
            version: parameters[Parameter.version],
            cohort: parameters[Parameter.cohort],
            bucket: bucket
        )
        if let name = client.invalidText { return .failure(InvalidParameter(name: name)) }
        return .success(client)
    }

    struct InvalidParameter: Error {
        let name: String
    }
}

extension RemoteClient {
    /// The client as the query of a URL, percent-encoded, in an order that is always the same for the sake of caches.
    var query: String {
        let items: [(String, String?)] = [
            (RequestTarget.Parameter.platform, platform), (RequestTarget.Parameter.version, version),
            (RequestTarget.Parameter.cohort, cohort), (RequestTarget.Parameter.bucket, bucket.map(String.init)),
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
