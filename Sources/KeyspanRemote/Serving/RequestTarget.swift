#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The target of a request to a publisher: the parts of the path behind its own, and the query.
struct RequestTarget {
    /// The parts, such as `beta` and `changes`.
    let parts: [String]
    private let query: Substring

    /// The longest query in bytes.
    private static let maximumQueryLength = 2_048

    /// Reads a target; `nil` if it is not below a path.
    init?(_ target: String, below path: String) {
        let mark = UInt8(ascii: "?")
        let sides = Substring(target).utf8.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
        guard sides[0].starts(with: path.utf8) else { return nil }
        let rest = sides[0].dropFirst(path.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return nil }
        parts = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .map { String(Substring($0)) }
        query = sides.count == 2 ? Substring(sides[1]) : ""
    }

    /// The traits that the query describes.
    ///
    /// Parameters of other names are ignored, so that a later client can send more.
    ///
    /// - Throws: ``InvalidQuery``.
    func traits() throws(InvalidQuery) -> ClientTraits {
        guard query.utf8.count <= Self.maximumQueryLength,
            let components = URLComponents(string: "?\(query)", encodingInvalidCharacters: false)
        else {
            throw InvalidQuery(
                sentence: "The query is not percent-encoded or longer than \(Self.maximumQueryLength) bytes."
            )
        }
        var parameters = TextDictionary<String>()
        for item in components.queryItems ?? [] {
            guard let value = item.value, parameters.updateValue(value, forKey: item.name) == nil else {
                throw InvalidQuery(sentence: "A parameter has no value, or comes twice.")
            }
        }
        let traits = ClientTraits(
            platform: parameters["platform"],
            version: parameters["version"],
            cohort: parameters["cohort"],
            bucket: parameters["bucket"].flatMap { Int($0) }
        )
        if parameters["bucket"] != nil, traits.bucket == nil {
            throw InvalidQuery(
                sentence: "The parameter bucket is not a number from 0 to \(ClientTraits.bucketCount - 1)."
            )
        }
        guard let name = traits.invalidText else { return traits }
        let limit = ClientTraits.maximumLength
        throw InvalidQuery(sentence: "The parameter \(name) has control characters or more than \(limit) bytes.")
    }

    /// The query is not one of traits; the sentence says why.
    struct InvalidQuery: Error {
        let sentence: String
    }
}

extension ClientTraits {
    /// The traits as the parameters of a query, in an order that is always the same.
    var queryItems: [URLQueryItem] {
        [("platform", platform), ("version", version), ("cohort", cohort), ("bucket", bucket.map(String.init))]
            .compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
    }
}
#endif
