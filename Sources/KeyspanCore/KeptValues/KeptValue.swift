#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// A stored value that its key could not read when another one took its place.
    public struct KeptValue: Sendable, Hashable {
        /// The name of the key.
        @UTF8Text public private(set) var key: String

        /// The entries that the value was in, as they were stored: one of the key's name, unless a direct bridge has more.
        public let entries: PropertyListDictionary

        /// When it was replaced.
        public let date: Date

        /// The stored value, if it was in the one entry of the key's name.
        public var value: PropertyListValue? { entries[key] }
    }
}
