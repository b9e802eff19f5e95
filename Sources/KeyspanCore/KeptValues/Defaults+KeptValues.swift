#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values that no key could read when they were replaced, and that are kept for that reason.
///
/// They are in the entry `keyspan.kept` of the store, at most eight for each key. Of a ``LayeredStore`` that is the layer to
/// which writes go, since the others lose nothing.
extension Defaults {
    /// The kept values, by key and from the oldest to the newest.
    public func keptValues() -> [KeptValue] {
        KeptValues(store.writtenStore.value(forKey: KeptValues.entryName)).all
    }

    /// The kept values of a key, from the oldest to the newest.
    public func keptValues(for key: AnyKey) -> [KeptValue] {
        keptValues().filter { $0.key.hasSameUTF8(as: key.name) }
    }

    /// Puts a kept value back under its key, in one batch; what is there now is kept in its place.
    ///
    /// The value is restored as a whole: entries of the key that were absent are removed.
    ///
    /// - Throws: ``StoreError``, and nothing is changed. Its code is ``StoreError/Code/unknownEntries`` if the store does not
    ///   say which other entries the value had; ``restore(_:for:)`` then restores it.
    public func restore(_ kept: KeptValue) throws(StoreError) {
        guard let absent = kept.absentEntries else {
            throw .unknownEntries(
                of: kept,
                store: store.name,
                reason: "an earlier version kept the value, and did not note which other entries of the key there were"
            )
        }
        try restore(kept, removing: absent)
    }

    /// Puts a kept value back under its key, which knows all entries, in one batch; what is there now is kept in its place.
    ///
    /// The value is restored as a whole: entries of the key that the kept value does not have are removed. So a value can be
    /// restored too that an earlier version of the library or of the key's bridge has kept.
    ///
    /// - Parameters:
    ///   - kept: The value.
    ///   - key: The key that it was kept of.
    /// - Throws: ``StoreError``, and nothing is changed. Its code is ``StoreError/Code/unknownEntries`` if the value was kept of
    ///   another key.
    public func restore(_ kept: KeptValue, for key: AnyKey) throws(StoreError) {
        guard kept.key.hasSameUTF8(as: key.name) else {
            throw .unknownEntries(of: kept, store: store.name, reason: "the value was kept of another key")
        }
        try restore(kept, removing: Set(key.entryNames).union(kept.absentEntries ?? []))
    }

    /// Puts a kept value back.
    ///
    /// - Parameters:
    ///   - kept: The value.
    ///   - others: The names of entries that are removed, unless the value has them.
    /// - Throws: ``StoreError`` also for the entries that the library has beside those of keys.
    private func restore(_ kept: KeptValue, removing others: Set<UTF8Text>) throws(StoreError) {
        let names = Set<UTF8Text>(kept.entries.keys).union(others)
        if let name = names.first(where: { LibraryEntries.contains($0.wrappedValue) }) {
            throw .unknownEntries(
                of: kept,
                store: store.name,
                reason: "the library itself uses the entry \(name.wrappedValue.debugDescription)"
            )
        }
        try store.writtenStore.edit { edit in
            var values = KeptValues(edit[KeptValues.entryName])
            values.remove(kept)
            values.append(ofKey: kept.key, entries: names.lazy.map(\.wrappedValue)) { edit[$0] }
            for name in names { edit[name.wrappedValue] = kept.entries[name.wrappedValue] }
            edit[KeptValues.entryName] = values.stored
        }
    }

    /// Removes a kept value for good.
    ///
    /// - Throws: ``StoreError``, and nothing is changed.
    public func discard(_ kept: KeptValue) throws(StoreError) {
        try store.writtenStore.edit { edit in
            var values = KeptValues(edit[KeptValues.entryName])
            values.remove(kept)
            edit[KeptValues.entryName] = values.stored
        }
    }
}

extension StoreError.Code {
    /// A kept value cannot be restored as a whole, because it is not known which entries it had.
    public static let unknownEntries = StoreError.Code("unknownEntries")
}

extension StoreError {
    fileprivate static func unknownEntries(of kept: Defaults.KeptValue, store: String, reason: String) -> StoreError {
        StoreError(
            .unknownEntries,
            store: store,
            key: kept.key,
            reason: reason,
            remedy: "restore it in a program, with restore(_:for:) and the right key, or write its entries"
        )
    }
}
