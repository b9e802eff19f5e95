#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a URL as JSON text: its text between quotation marks.
    ///
    /// This is the form that the Defaults library writes. A URL that is relative to a base keeps it: it is stored as an object
    /// with the members `base` and `relative`, which that library cannot read. Convert such a URL with `absoluteURL` before you
    /// write it for programs that use that library.
    ///
    /// Reading accepts JSON text in data as well, the URL without quotation marks, as a person would write it, and a path that
    /// begins with `/` or `~/`, as `UserDefaults` stores the URL of a file. `UserDefaults` archives other URLs; an archive is
    /// refused. Where the store has nothing but text, any path is read, as ``CoercionTable/url(_:)`` does.
    public struct URLBridge: CodableBridge, Sendable {
        /// The URL.
        public typealias Value = URL

        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: URL?) -> String? {
            guard let value else { return nil }
            do {
                return try URLForm.text(of: value)
            } catch {
                // This form of the question has no place for the reason; `encode(_:)` gives it.
                return nil
            }
        }

        public func deserialize(_ object: String?) -> URL? {
            guard let object else { return nil }
            do {
                return try URLForm.url(of: .string(object))
            } catch {
                // This form of the question has no place for the reason; `decode(_:in:)` gives it.
                return nil
            }
        }

        public func encode(_ value: URL) throws(ValueEncodingError) -> PropertyListValue {
            .string(try URLForm.text(of: value))
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> URL {
            if context.readsText || Self.isPath(stored), let url = CoercionTable.url(stored) { return url }
            guard case .string(let text) = stored, !URLText.isJSON(text) else { return try URLForm.url(of: stored) }
            guard let url = URL(string: text) else { throw .unreadable(stored, reason: "it is no URL") }
            return url
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
