#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a URL as JSON text: its absolute form between quotation marks.
    ///
    /// This is the form that the Defaults library writes. A relative URL loses its base.
    ///
    /// Reading accepts JSON text in data as well, the URL without quotation marks, as a person would write it, and a path that
    /// begins with `/` or `~/`, as `UserDefaults` stores the URL of a file. `UserDefaults` archives other URLs; an archive is
    /// refused. Where the store has nothing but text, any path is read, as ``CoercionTable/url(_:)`` does.
    public struct URLBridge: CodableBridge, Sendable {
        /// The URL.
        public typealias Value = URL

        /// Makes the bridge.
        public init() {}

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> URL {
            if context.readsText || Self.isPath(stored), let url = CoercionTable.url(stored) { return url }
            if case .string(let text) = stored, !text.hasUTF8Prefix("\"") {
                guard let url = URL(string: text) else { throw .unreadable(stored, reason: "it is no URL") }
                return url
            }
            return try JSONCoding.decode(URL.self, from: stored)
        }

        private static func isPath(_ stored: PropertyListValue) -> Bool {
            guard case .string(let text) = stored else { return false }
            // Two slashes begin a URL without a scheme.
            return text.hasUTF8Prefix("~/") || text.hasUTF8Prefix("/") && !text.hasUTF8Prefix("//")
        }
    }
}

extension URL: Defaults.Serializable {
    public static var bridge: Defaults.URLBridge { Defaults.URLBridge() }
}
