#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The tokens that prove that a change comes from a page which the console has sent to the same person.
///
/// Another site can make a browser send a request with its user's credentials, but cannot read the page. Tokens are random, and end with the program.
final class RequestTokens: Sendable {
    /// The header field that carries the token.
    static let header = "X-Keyspan-Token"

    private static let maximumCount = 10_000

    private let tokens = Locked<TextDictionary<String>>([:])

    /// The token of a person.
    func token(of person: String?) -> String {
        let new = Self.random()
        return tokens.withLock { tokens in
            let person = Self.entry(of: person)
            if let token = tokens[person] { return token }
            // Pages that are open then have to be loaded again.
            if tokens.count >= Self.maximumCount { tokens = [:] }
            tokens[person] = new
            return new
        }
    }

    /// Whether a text is the token of a person; takes a time that does not depend on where they differ.
    func isValid(_ text: String?, for person: String?) -> Bool {
        guard let text, let token = tokens.withLock({ $0[Self.entry(of: person)] }) else { return false }
        return text.isSameInConstantTime(as: token)
    }

    private static func entry(of person: String?) -> String { person.map { "=" + $0 } ?? "" }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        .joined()
    }
}
#endif
