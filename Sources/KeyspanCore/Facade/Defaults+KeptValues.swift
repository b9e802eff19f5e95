#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Kept values: stored values that their key could not use when another value replaced them.
///
/// They are in the entry `keyspan.kept` of the store, at most eight for each key. A ``LayeredStore`` has them in its written
/// layer; the other layers lose nothing.
extension Defaults {
    /// The kept values, by key and from oldest to newest.
    public func keptValues() -> [KeptValue] {
        KeptValues(store.writtenStore.value(forKey: KeptValues.entryName)).all
    }

    /// The kept values of a key, from oldest to newest.
    public func keptValues(for key: AnyKey) -> [KeptValue] {
        keptValues().filter { $0.key.hasSameUTF8(as: key.name) }
    }

    /// Puts a kept value back under its key, in one batch; the present value is kept in its place.
    ///
    /// The value is restored as a whole: entries of the key that were absent are removed.
    ///
    /// - Throws: ``StoreError``, and nothing has changed. Its code is ``StoreError/Code/unknownEntries`` if the store does not
    ///   know which other entries the key had; ``restore(_:for:)`` then restores the value.
    public func restore(_ kept: KeptValue) throws(StoreError) {
        guard let absent = kept.absentEntries else {
            throw .unknownEntries(
                of: kept,
                store: store.name,
                reason: "an earlier version kept the value and did not record the key's other entries"
            )
        }
        try restore(kept, removing: absent)
    }

    /// Puts a kept value back under its key, which names all entries, in one batch; the present value is kept in its place.
    ///
    /// The value is restored as a whole: entries of the key that the kept value lacks are removed. This also restores values
    /// that an earlier version of the library or of the key's bridge has kept.
    ///
    /// - Parameters:
    ///   - kept: The value.
    ///   - key: The key of the value.
    /// - Throws: ``StoreError``, and nothing has changed. Its code is ``StoreError/Code/unknownEntries`` if the value belongs to
    ///   another key.
    public func restore(_ kept: KeptValue, for key: AnyKey) throws(StoreError) {
        guard kept.key.hasSameUTF8(as: key.name) else {
            throw .unknownEntries(of: kept, store: store.name, reason: "the value belongs to another key")
        }
        try restore(kept, removing: Set(key.entryNames).union(kept.absentEntries ?? []))
    }

    /// Puts a kept value back.
    ///
    /// - Parameters:
    ///   - kept: The value.
    ///   - others: The names of entries to remove, unless the value has them.
    /// - Throws: ``StoreError``, also for entries that the library itself uses.
    private func restore(_ kept: KeptValue, removing others: Set<UTF8Text>) throws(StoreError) {
        let names = Set<UTF8Text>(kept.entries.keys).union(others)
        try LibraryEntries.check(names.lazy.map(\.wrappedValue), in: store.name)
        try store.writtenStore.edit { edit in
            var values = KeptValues(edit[KeptValues.entryName])
            values.remove(kept)
            values.append(ofKey: kept.key, entries: names.lazy.map(\.wrappedValue)) { edit[$0] }
            for name in names { edit[name.wrappedValue] = kept.entries[name.wrappedValue] }
            edit.record(values.stored, in: KeptValues.entryName)
        }
    }

    /// Removes a kept value permanently.
    ///
    /// - Throws: ``StoreError``, and nothing has changed.
    public func discard(_ kept: KeptValue) throws(StoreError) {
        try store.writtenStore.edit { edit in
            var values = KeptValues(edit[KeptValues.entryName])
            values.remove(kept)
            edit.record(values.stored, in: KeptValues.entryName)
        }
    }
}

extension StoreError.Code {
    /// A kept value cannot be restored as a whole, because its entries are not all known.
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
