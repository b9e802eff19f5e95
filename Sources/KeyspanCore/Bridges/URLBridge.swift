#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a URL as JSON text: its absolute form between quotation marks.
    ///
    /// This is the form that the Defaults library writes. Reading accepts the URL without quotation marks as well, as a
    /// person would write it. A relative URL loses its base. Where the store has nothing but text, a path is read as well, as
    /// ``CoercionTable/url(_:)`` does.
    public struct URLBridge: CodableBridge, Sendable {
        /// The URL.
        public typealias Value = URL

        /// Makes the bridge.
        public init() {}

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> URL {
            if context.readsText, let url = CoercionTable.url(stored) { return url }
            if case .string(let text) = stored, !text.hasPrefix("\"") {
                guard let url = URL(string: text) else { throw .unreadable(stored, reason: "it is no URL") }
                return url
            }
            return try JSONCoding.decode(URL.self, from: stored)
        }
    }
}

extension URL: Defaults.Serializable {
    public static var bridge: Defaults.URLBridge { Defaults.URLBridge() }
}
