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
/// Reading and writing behave as `Defaults[.key]`: they never fail, and report what goes wrong to
/// `Defaults.onProblem(_:)`. Setting an optional to `nil` removes its value; the property is `nil` after that, unless it has
/// a default, which it has again. What `withObservationTracking` runs is told when a value changes that it has read here.
///
/// The projected value, `$players`, observes and resets. Safe to use from any thread. Reading does no I/O, but for the
/// very first use of the standard store, which opens it.
@propertyWrapper
public struct Default<Value>: Sendable {
    private let storage: DefaultStorage<Value>

    /// The value in the store, or the default.
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
        nonmutating _modify { yield &storage.value }
    }

    /// The property itself: what observes, resets and tells whether there is a value.
    public var projectedValue: DefaultProjection<Value> { DefaultProjection(storage: storage) }

    /// Makes a property with the value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: The store; the one that the key names, or else the standard store, if `nil`.
    ///   - options: How the property keeps its value between reads.
    public init(
        _ key: Defaults.Key<Value>,
        in store: (any PropertyListStore)? = nil,
        options: DefaultOptions = []
    ) {
        storage = DefaultStorage(key, in: store, options: options)
    }

    /// Makes a property with a name and a default.
    ///
    /// - Parameters:
    ///   - initialValue: The default, made anew for each read that finds no value. It may read other keys.
    ///   - name: The name under which the store has the value.
    ///   - store: The store; the standard store if `nil`.
    ///   - options: How the property keeps its value between reads.
    ///   - isRegistered: Whether the default is put into the store's registration domain, if it has one, so that others who
    ///     read the name find it too. With the standard store that happens now, or at its first use.
    public init(
        wrappedValue initialValue: @autoclosure @escaping @Sendable () -> Value,
        _ name: Defaults.KeyName,
        in store: (any PropertyListStore)? = nil,
        options: DefaultOptions = [],
        registering isRegistered: Bool = true
    ) where Value: Defaults.Serializable {
        self.init(Defaults.Key(name.name, default: initialValue), in: store, options: options)
        if isRegistered { storage.registerDefault() }
    }

    /// Makes a property with a name, which is `nil` where the store has no value.
    ///
    /// - Parameters:
    ///   - name: The name under which the store has the value.
    ///   - store: The store; the standard store if `nil`.
    ///   - options: How the property keeps its value between reads.
    public init<Wrapped: Defaults.Serializable>(
        _ name: Defaults.KeyName,
        in store: (any PropertyListStore)? = nil,
        options: DefaultOptions = []
    ) where Value == Wrapped? {
        self.init(Defaults.Key<Wrapped?>(name.name), in: store, options: options)
    }
}

extension Default {
    /// Makes the property again that `$name` belongs to: a copy, which shares everything with it.
    package init(_ projection: DefaultProjection<Value>) {
        storage = projection.storage
    }

    /// The default of the key.
    public var defaultValue: Value { storage.key.defaultValue }

    /// Removes the value, so that the property has its default again; `_name.reset()` does what `$name.reset()` does.
    public func reset() {
        storage.reset()
    }
}

extension Default where Value: Equatable {
    /// Whether the property has the value that it would have if its store held none.
    public var isDefaultValue: Bool { storage.defaults.isDefaultValue(storage.key) }
}

/// The name that `Defaults` has for its property wrapper beside a type of the program's own that is called `Default`.
public typealias _Default = Default
