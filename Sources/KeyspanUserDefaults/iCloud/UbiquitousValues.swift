package import Foundation
@_spi(StoreAuthors) package import KeyspanCore

/// The part of the system's key-value store that ``UbiquitousStore`` uses: `NSUbiquitousKeyValueStore`, or a test double.
///
/// All members may be called from any thread. The store calls them without a lock.
package protocol UbiquitousValues: AnyObject, Sendable {
    /// The same data whenever the present account is used; `nil` if nobody is signed in, or the program cannot know.
    var accountIdentity: Data? { get }

    /// The entries with these names, or all entries; names without a value are omitted.
    func entries(_ names: Set<UTF8Text>?) -> TextDictionary<UbiquitousEntry>

    /// Writes a value, or removes the name for `nil`.
    func set(_ value: PropertyListValue?, forKey key: String)

    /// Saves all writes.
    ///
    /// - Returns: Whether that succeeded.
    func synchronize() -> Bool

    /// Observes changes that were not made by this process.
    func observe(_ receive: @escaping @Sendable (UbiquitousChange) -> Void) -> StoreObservation
}

/// The system's value for a name.
package enum UbiquitousEntry: Sendable, Hashable {
    /// A value.
    case value(PropertyListValue)
    /// An object that is not a property-list value, with the reason.
    case foreign(reason: String)
}

/// A change that was not made by this process.
package enum UbiquitousChange: Sendable, Hashable {
    /// Other devices changed these names.
    case changed(ObservedKeys)
    /// The user changed the account, or the values of an account were downloaded for the first time: all values can be others,
    /// and writes from before may have been discarded.
    case accountChanged
    /// The system has rejected writes of these names, because they exceed its limits.
    case quotaViolated(Set<UTF8Text>)
}

/// The system's key-value store of iCloud as the source of a mirrored table.
struct UbiquitousSource: MirroredSource {
    private let values: any UbiquitousValues
    private let reports: ForeignValueReports

    /// Makes a source that reports objects that are not property lists, with the name of the store.
    init(_ values: any UbiquitousValues, store: String) {
        self.values = values
        reports = ForeignValueReports(store: store)
    }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        var found: TextDictionary<PropertyListValue?> = [:]
        let entries: TextDictionary<UbiquitousEntry>
        switch keys {
        case .named(let names):
            for name in names { found[name.wrappedValue] = .some(nil) }
            entries = values.entries(names)
        case .all:
            for (key, _) in copy { found[key] = .some(nil) }
            entries = values.entries(nil)
        }
        for (key, entry) in entries { found[key] = .some(value(of: entry, forKey: key)) }
        return found
    }

    func perform(_ batch: PropertyListBatch, comparingWith copy: PropertyListTable?) {
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key) where copy == nil || !has(value, forKey: key): values.set(value, forKey: key)
            case .remove(let key) where copy == nil || !has(nil, forKey: key): values.set(nil, forKey: key)
            case .removeAll: values.entries(nil).keys.forEach { values.set(nil, forKey: $0) }
            case .set, .remove: break
            }
        }
    }

    private func has(_ value: PropertyListValue?, forKey key: String) -> Bool {
        values.entries([UTF8Text(key)])[key] == value.map(UbiquitousEntry.value)
    }

    private func value(of entry: UbiquitousEntry, forKey key: String) -> PropertyListValue? {
        switch entry {
        case .value(let value): return value
        case .foreign(let reason):
            reports.report(reason, ofKey: key)
            return nil
        }
    }
}
