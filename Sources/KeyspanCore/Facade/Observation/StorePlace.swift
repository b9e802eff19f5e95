public import Synchronization

/// A store together with the tracker of its reads.
@usableFromInline
package final class TrackedStore: Sendable {
    /// The store.
    @usableFromInline package let store: any PropertyListStore

    // The tracker of the store, which is the same for all of its tracked stores. It is made by the first read, because the weak
    // reference to the store that comes with it makes each count of the store's references slower.
    private let tracker = OnceReference<StoreTracker>()

    /// Makes access to a store.
    package init(_ store: any PropertyListStore) {
        self.store = store
    }

    /// Typed access to the store.
    @inlinable package var defaults: Defaults { Defaults(store) }

    /// Records that a key is read now, if this happens inside `withObservationTracking`; called before the read, so that a change
    /// after it is noticed.
    ///
    /// Takes no lock for a key that this tracker was the first to read, such as every key of a group.
    @usableFromInline
    package func access(_ key: Defaults.AnyKey) {
        // Counts no reference to the tracker, because all threads share the count.
        let identifier = tracker.reference.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.identifier }
        if let subject = key.subject.object, subject.tracker == identifier { return subject.access() }
        (tracker.object ?? tracker.setIfAbsent(.of(store))).access(key, in: store)
    }

    /// The value of a key, or its default, in a tracked read.
    @inlinable
    package func value<Value>(of key: Defaults.Key<Value>) -> Value {
        access(key)
        return key.value(in: store)
    }
}

/// Where the values of a group, a property or a binding are: in one store, or in the one that is the standard store at each access.
@usableFromInline
package struct StorePlace: Sendable {
    private final class Finder: Sendable {
        let find: @Sendable () -> TrackedStore

        init(_ find: @escaping @Sendable () -> TrackedStore) {
            self.find = find
        }
    }

    /// The standard store of the process, if all code can use it directly: no use is pending, and no operation ever had its own store.
    ///
    /// Reads do not count references to it, because all threads share the count, and it is never released.
    @usableFromInline package static let direct = Atomic<Unmanaged<TrackedStore>?>(nil)

    private static let finder = OnceReference<Finder>()

    /// The one store; `nil` for the standard store.
    @usableFromInline let fixed: TrackedStore?

    @usableFromInline
    init(fixed: TrackedStore?) {
        self.fixed = fixed
    }

    /// The place of the values of one store.
    package init(_ store: any PropertyListStore) {
        self.init(fixed: TrackedStore(store))
    }

    /// The place of the values of the standard store, which the module `Keyspan` chooses.
    ///
    /// - Parameter find: Finds the store in use, where there is no ``direct`` one. The first one counts.
    package static func standard(_ find: @escaping @Sendable () -> TrackedStore) -> StorePlace {
        _ = finder.setIfAbsent(Finder(find))
        return StorePlace(fixed: nil)
    }

    /// The standard store of the operation, or of the process.
    @usableFromInline static var found: TrackedStore {
        // Set before the first place without a store was made.
        guard let finder = finder.object else { preconditionFailure("the standard store has no finder") }
        return finder.find()
    }

    /// Whether this is the place of the standard store.
    package var isStandard: Bool { fixed == nil }

    /// The store in use.
    @inlinable package var tracked: TrackedStore {
        if let fixed { return fixed }
        return Self.direct.load(ordering: .acquiring)?.takeUnretainedValue() ?? Self.found
    }

    /// The value of a key in the store in use, or the key's default, in a tracked read.
    @inlinable
    package func value<Value>(of key: Defaults.Key<Value>) -> Value {
        // Written out, because `tracked` retains the store, and all threads share that atomic count.
        if let fixed { return fixed.value(of: key) }
        if let direct = Self.direct.load(ordering: .acquiring) {
            return direct._withUnsafeGuaranteedRef { $0.value(of: key) }
        }
        return Self.found.value(of: key)
    }
}

/// The value of a key in a place, for a binding that tracks its reads.
package struct TrackedKey<Value>: Sendable {
    let key: Defaults.Key<Value>
    let place: StorePlace

    init(_ key: Defaults.Key<Value>, in place: StorePlace) {
        self.key = key
        self.place = place
    }

    /// Makes access to a key in one store.
    package init(_ key: Defaults.Key<Value>, in store: any PropertyListStore) {
        self.init(key, in: StorePlace(store))
    }

    /// The value in the store, or the default; as the subscript of ``Defaults``.
    package var value: Value {
        get { place.value(of: key) }
        nonmutating set { place.tracked.defaults[key] = newValue }
    }
}
