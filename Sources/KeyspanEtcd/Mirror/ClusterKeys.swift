#if Etcd
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Values by keys of the cluster.
///
/// It works like a `Dictionary` with `Data` keys, and hashes all bytes of a key. `Data` hashes its first 80 bytes alone, so that each access to
/// a dictionary of many long keys that begin alike would compare with all of them.
struct ClusterKeys<Value> {
    private struct Key: Hashable {
        let bytes: Data

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private var entries: [Key: Value] = [:]

    init() {}

    var count: Int { entries.count }

    var isEmpty: Bool { entries.isEmpty }

    var keys: [Data] { entries.keys.map(\.bytes) }

    var values: some Collection<Value> { entries.values }

    /// The value of a key; `nil` removes it.
    subscript(key: Data) -> Value? {
        get { entries[Key(bytes: key)] }
        set { entries[Key(bytes: key)] = newValue }
    }

    /// Stores a value and returns the previous one; `nil` for a new key.
    @discardableResult
    mutating func updateValue(_ value: Value, forKey key: Data) -> Value? {
        entries.updateValue(value, forKey: Key(bytes: key))
    }

    /// Adds the entries of another dictionary, whose values win.
    mutating func merge(_ other: ClusterKeys) {
        entries.merge(other.entries) { $1 }
    }
}

extension ClusterKeys: Sequence {
    func makeIterator() -> some IteratorProtocol<(key: Data, value: Value)> {
        entries.lazy.map { (key: $0.key.bytes, value: $0.value) }.makeIterator()
    }
}

extension ClusterKeys: Sendable where Value: Sendable {}
#endif
