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

        /// The key's other entries, which were absent; `nil` if that is not known.
        ///
        /// An earlier version of the library did not note it. What that kept in the one entry of the key's name counts as the
        /// value of a key that has no others.
        public let absentEntries: Set<UTF8Text>?

        /// When it was replaced.
        public let date: Date

        /// The stored value of the entry that has the key's name, if there was one: of most keys it is the only entry.
        public var value: PropertyListValue? { entries[key] }
    }
}
