package import KeyspanCore

/// What ``UbiquitousStore`` needs of the system's key-value store: `NSUbiquitousKeyValueStore`, or a double of it in tests.
///
/// All members may be called from any thread, and none while the store holds a lock.
package protocol UbiquitousValues: AnyObject, Sendable {
    /// The values of these names, or all; a name without a value is left out.
    func entries(_ names: Set<UTF8Text>?) -> TextDictionary<UbiquitousEntry>

    /// Writes a value, or removes the name for `nil`.
    func set(_ value: PropertyListValue?, forKey key: String)

    /// Saves what was written, and answers whether that could be done.
    func synchronize() -> Bool

    /// Hears of changes that were not made by this process.
    func observe(_ receive: @escaping @Sendable (UbiquitousChange) -> Void) -> StoreObservation
}

/// What the system has under a name.
package enum UbiquitousEntry: Sendable, Hashable {
    /// A value.
    case value(PropertyListValue)
    /// An object that is no property-list value, by what is wrong with it.
    case foreign(reason: String)
}

/// A change that was not made by this process.
package enum UbiquitousChange: Sendable, Hashable {
    /// Other devices, or the first download, changed these names.
    case changed(Set<UTF8Text>)
    /// The user changed the account, and all values with it.
    case accountChanged
    /// The system has refused what was written, because there was too much of it.
    case quotaViolated(Set<UTF8Text>)
}
