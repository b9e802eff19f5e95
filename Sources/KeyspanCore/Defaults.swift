/// Typed access to the values of one store.
///
/// ```swift
/// extension Defaults.Keys {
///     static let launchCount = Key<Int>("launchCount", default: 0)
/// }
///
/// let defaults = Defaults(InMemoryStore())
/// defaults[.launchCount] = 3
/// defaults.modify(.launchCount) { $0 += 1 }
/// ```
///
/// `Defaults` is also the namespace of keys and bridges, and its static members, which come with `import Keyspan`, work on
/// the program's standard store: `Defaults[.launchCount] = 3`.
///
/// The plain subscript never fails: a value that its key cannot read gives the key's default, a value that cannot be
/// written leaves the old one, and either is reported to ``onProblem(_:)``. ``value(for:)`` and `set(_:for:)` throw
/// instead. Safe to use from any thread; reading does no I/O.
public struct Defaults: Sendable {
    /// The store that the values are in.
    public let store: any PropertyListStore

    /// Makes typed access to a store.
    ///
    /// A key that names a store of its own (`suite:`) is read here all the same: the store given here wins.
    @inlinable
    public init(_ store: any PropertyListStore) {
        self.store = store
    }

    /// The value of a key, or the key's default if there is none or it cannot be read.
    ///
    /// An unreadable value is left in the store as it is and reported to ``onProblem(_:)`` once. Reading a value again
    /// that has not changed neither locks nor allocates for numbers and other small plain values, and decodes nothing.
    ///
    /// Setting writes one batch. A value that cannot be stored is reported to ``onProblem(_:)`` and the old value stays;
    /// `nil` removes the key.
    ///
    /// Changing a value in place, `defaults[.launchCount] += 1`, reads it and then writes it: two steps. If another writer
    /// comes in between, its change is replaced, which is reported as ``Problem/changeOverwritten(key:store:)``.
    /// ``modify(_:_:)-(Defaults.Key<Value>,_)`` does both in one step.
    public subscript<Value>(key: Key<Value>) -> Value {
        @inlinable
        get { key.read(from: store) }
        @inlinable
        nonmutating set {
            do {
                try set(newValue, for: key)
            } catch {
                error.report()
            }
        }
        @inlinable
        nonmutating _modify {
            var change = key.beginChange(in: store)
            defer { key.endChange(change, in: store) }
            yield &change.value
        }
    }
}

/// A second name, as Defaults has it, for where `Defaults` means something else.
public typealias _Defaults = Defaults
