#if Console
public import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SettingsConsole {
    /// The secret with which a person or a program signs in, and the name of the person.
    public struct Credentials: Sendable {
        /// The name that was given; `nil` for a token alone, and for an empty name.
        public let person: String?

        private let secret: String

        /// Reads the header field `Authorization` of a request, the first one of several.
        ///
        /// Its value is `Basic` with a name and a password (RFC 7617), for which a browser asks, or `Bearer` with a token (RFC 6750), as
        /// programs send it. With anything else, or without the field, there are no credentials.
        public init?(of request: HTTPRequest) {
            let header = request.headerFields[values: .authorization].first ?? ""
            let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return nil }
            switch parts[0].lowercased() {
            case "bearer":
                person = nil
                secret = parts[1]
            case "basic":
                guard let data = Data(base64Encoded: parts[1]),
                    let text = String(validating: data, as: UTF8.self),
                    let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
                else { return nil }
                person = colon == text.startIndex ? nil : String(text[..<colon])
                secret = String(text[text.utf8.index(after: colon)...])
            default: return nil
            }
        }

        /// Whether the secret is this one; takes a time that does not depend on where they differ.
        ///
        /// An empty secret is never the right one.
        public func haveSecret(_ expected: String) -> Bool {
            !expected.isEmpty && secret.isSameInConstantTime(as: expected)
        }
    }
}

extension SettingsConsole.Request {
    /// The name and secret of the header field `Authorization`, of the schemes `Basic` and `Bearer`; `nil` if there are none.
    public var credentials: SettingsConsole.Credentials? { .init(of: head) }
}

extension String {
    /// Whether the UTF-8 is the same, in a time that depends on the lengths only.
    func isSameInConstantTime(as other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
#endif
