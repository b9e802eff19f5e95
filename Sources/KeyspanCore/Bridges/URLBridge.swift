#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a URL as JSON text: its absolute form between quotation marks.
    ///
    /// This is the form that the Defaults library writes. Reading accepts JSON text in data as well, the URL without quotation
    /// marks, as a person would write it, and an absolute path, as `UserDefaults` stores the URL of a file. A relative URL
    /// loses its base.
    ///
    /// `UserDefaults` abbreviates paths in the user's home folder, and it archives other URLs. Such paths and archives are
    /// refused: resolving them takes the system, which this module does not ask.
    public struct URLBridge: CodableBridge, Sendable {
        /// The URL.
        public typealias Value = URL

        /// Makes the bridge.
        public init() {}

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> URL {
            if case .string(let text) = stored, !text.hasPrefix("\"") {
                if text.hasPrefix("/"), !text.hasPrefix("//") { return URL(filePath: text) }
                guard !text.hasPrefix("~/") else {
                    throw .unreadable(stored, reason: "it is a path in a home folder; write it in full")
                }
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
