#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The name that a dictionary's entry is stored under, for a type of keys that has no text of its own accord.
///
/// Wrapped in one of these, the keys are what ``Defaults/DictionaryBridge`` takes, so such a dictionary is stored as others are.
protocol DictionaryName<Key>: LosslessStringConvertible, Hashable, SendableMetatype {
    /// The type of the dictionary's keys.
    associatedtype Key: Hashable

    /// The key.
    var key: Key { get }

    /// Wraps a key.
    init(_ key: Key)
}

/// The text of a raw value, as of a case of an enumeration.
struct RawValueName<Key: RawRepresentable & Hashable>: DictionaryName where Key.RawValue: LosslessStringConvertible {
    let key: Key

    var description: String { String(key.rawValue) }

    init(_ key: Key) {
        self.key = key
    }

    init?(_ description: String) {
        guard let key = Key.RawValue(description).flatMap(Key.init(rawValue:)) else { return nil }
        self.key = key
    }
}

/// The text of a UUID, in upper case as elsewhere.
struct UUIDName: DictionaryName {
    let key: UUID

    var description: String { key.uuidString }

    init(_ key: UUID) {
        self.key = key
    }

    init?(_ description: String) {
        guard let key = UUID(uuidString: description) else { return nil }
        self.key = key
    }
}
