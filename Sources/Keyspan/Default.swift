public import KeyspanCore

/// A property whose value is in a store.
///
/// ```swift
/// extension Defaults.Keys {
///     static let theme = Key<String>("theme", default: "light")
/// }
///
/// struct Game {
///     @Default(.theme) var theme
///     @Default("numberOfPlayers") var players = 3
///     @Default("nickname") var nickname: String?
/// }
///
/// func observe(_ game: Game) async {
///     for await players in game.$players.updates() { print(players) }
/// }
/// ```
///
/// Reading and writing behave as `Defaults[.key]`: they never fail, and report problems to `Defaults.onProblem(_:)`. Setting
/// an optional to `nil` removes its value. The property is then `nil`, or has its default if there is one.
/// `withObservationTracking` tracks the reads of a property, also of one that nobody keeps.
///
/// The projected value, `$players`, observes and resets. Safe to use from any thread. Reading does no I/O, except for the
/// first use of the standard store, which opens it.
@propertyWrapper
public struct Default<Value>: Sendable {
    private let storage: DefaultStorage<Value>

    /// The value in the store, or the default.
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
        nonmutating _modify { yield &storage.value }
    }

    /// The property itself: observes, resets, and says whether there is a value.
    public var projectedValue: DefaultProjection<Value> { DefaultProjection(storage: storage) }

    /// Makes a property with the value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - suite: The store. If `nil`, the key's own suite or else the standard store.
    ///   - options: How the property keeps its value between reads.
    public init(
        _ key: Defaults.Key<Value>,
        suite: (any PropertyListStore)? = nil,
        options: DefaultOptions = []
    ) {
        storage = DefaultStorage(key, suite: suite, options: options)
    }

    /// Makes a property with a name and a default.
    ///
    /// - Parameters:
    ///   - initialValue: The default, computed for each read that finds no value. It may read other keys.
    ///   - name: The name under which the store has the value.
    ///   - suite: The store; the standard store if `nil`.
    ///   - options: How the property keeps its value between reads.
    ///   - isRegistered: Whether to register the default in the store's registration domain, if it has one, so that readers
    ///     without the property find it too. For the standard store, that happens now or at the first use of the store. Of the
    ///     properties of one name that were made before the first use, the last one counts.
    public init(
        wrappedValue initialValue: @autoclosure @escaping @Sendable () -> Value,
        _ name: Defaults.KeyName,
        suite: (any PropertyListStore)? = nil,
        options: DefaultOptions = [],
        registering isRegistered: Bool = true
    ) where Value: Defaults.Serializable {
        self.init(Defaults.Key(name.name, default: initialValue), suite: suite, options: options)
        if isRegistered { storage.registerDefault() }
    }

    /// Makes a property with a name, which is `nil` where the store has no value.
    ///
    /// - Parameters:
    ///   - name: The name under which the store has the value.
    ///   - suite: The store; the standard store if `nil`.
    ///   - options: How the property keeps its value between reads.
    public init<Wrapped: Defaults.Serializable>(
        _ name: Defaults.KeyName,
        suite: (any PropertyListStore)? = nil,
        options: DefaultOptions = []
    ) where Value == Wrapped? {
        self.init(Defaults.Key<Wrapped?>(name.name), suite: suite, options: options)
    }
}

extension Default {
    /// Makes another copy of the property that `$name` belongs to.
    package init(_ projection: DefaultProjection<Value>) {
        storage = projection.storage
    }

    /// The default of the key.
    public var defaultValue: Value { storage.key.defaultValue }

    /// Removes the value, so that the property has its default again; `_name.reset()` does the same as `$name.reset()`.
    public func reset() {
        storage.reset()
    }
}

extension Default where Value: Equatable {
    /// Whether the property has the value that it would have in an empty store.
    public var isDefaultValue: Bool { storage.defaults.isDefaultValue(storage.key) }
}

/// The name of the property wrapper in Defaults, for programs with a type of their own that is called `Default`.
public typealias _Default = Default

/// How a ``Default`` keeps its value between reads.
///
/// Without an option each read asks the store, which decodes only values that have changed.
public struct DefaultOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The first value read stays until the same property sets another one, regardless of other writers.
    ///
    /// This suits a setting that takes effect at the next start. A change in place, such as `+=`, begins with the stored value, as
    /// others may have changed it. A property on the standard store keeps one value for each store that it meets: one for the
    /// store of the process, and one for that of each operation with a store of its own, such as an isolated test.
    public static let cached = DefaultOptions(rawValue: 1 << 0)

    /// The property follows the changes of the store.
    ///
    /// That is what a property does without options. Together with ``cached``, no value is kept, because each read is current.
    public static let observed = DefaultOptions(rawValue: 1 << 1)
}

/// The projected value of a ``Default`` property: `$name`.
public struct DefaultProjection<Value>: Sendable {
    let storage: DefaultStorage<Value>

    /// The key of the property.
    public var key: Defaults.Key<Value> { storage.key }

    /// Whether the store has a value.
    public var hasValue: Bool { storage.defaults.hasValue(for: key) }

    /// Changes the value in one step, without losing concurrent changes by other threads or processes.
    ///
    /// `$launchCount.modify { $0 += 1 }` behaves as `Defaults.modify(_:_:)`: it changes the stored value, even if the
    /// property keeps another one.
    ///
    /// - Parameter change: Changes the value. It is called again, with the new value, if another writer comes in between, and
    ///   should have no other effects. Nothing is written if it throws.
    /// - Throws: The closure's error.
    public func modify<Failure: Error>(_ change: (inout Value) throws(Failure) -> Void) throws(Failure) {
        let defaults = storage.defaults
        defer { storage.invalidateCache(of: defaults) }
        try defaults.modify(key, change)
    }

    /// Changes the value in one step, or throws and changes nothing; as `Defaults.commit(_:_:)`.
    ///
    /// - Parameter change: Changes the value, as for ``modify(_:)``.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error, or a `WriteError` if the value could not be written.
    @discardableResult
    public func commit<Result>(_ change: (inout Value) throws -> Result) throws -> Result {
        let defaults = storage.defaults
        defer { storage.invalidateCache(of: defaults) }
        return try defaults.commit(key, change)
    }

    /// Changes the value in one step, and returns when the change is durable, without blocking a thread.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the closure is called: the caller's.
    ///   - change: Changes the value, as for ``modify(_:)``.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error, or a `WriteError` if the value could not be written.
    @discardableResult
    public func commit<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        let defaults = storage.defaults
        defer { storage.invalidateCache(of: defaults) }
        return try await defaults.commit(isolation: isolation, key, change)
    }

    /// Removes the value, so that the property has its default again.
    public func reset() {
        storage.reset()
    }

    /// The values of the property from now on, one for each change, in order.
    ///
    /// - Parameters:
    ///   - initial: Whether the present value comes first.
    ///   - buffering: Which elements wait for a slow reader: by default all of them.
    public func updates(
        initial: Bool = true,
        buffering: Defaults.UpdateBuffering = .every
    ) -> AsyncStream<Value> {
        storage.defaults.updates(key, initial: initial, buffering: buffering)
    }

    /// Calls a handler for each change of the value, with the old and the new one.
    ///
    /// - Parameters:
    ///   - options: Whether the handler is called at once, and also before each change.
    ///   - handler: Called on the thread that delivers the change, without a lock.
    /// - Returns: The observation, which ends when it is invalidated or released.
    public func observe(
        options: Defaults.ObservationOptions = [.initial],
        handler: @escaping (Defaults.KeyChange<Value>) -> Void
    ) -> some Defaults.Observation {
        storage.defaults.observe(key, options: options, handler: handler)
    }
}
