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
    /// - Throws: ``StoreError``, and nothing is changed.
    public func restore(_ kept: KeptValue) throws(StoreError) {
        try store.writtenStore.edit { edit in
            var values = KeptValues(edit[KeptValues.entryName])
            var present = PropertyListDictionary()
            for name in kept.entries.keys { present[name] = edit[name] }
            values.remove(kept)
            if !present.isEmpty { values.append(present, ofKey: kept.key, at: Date()) }
            for (name, value) in kept.entries {
                edit[name] = value
            }
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
