public import Foundation
@_spi(StoreAuthors) public import KeyspanCore

/// Foundation's `UserDefaults` as a store, on Apple's systems and on Linux.
///
/// ```swift
/// import KeyspanUserDefaults
///
/// let launchCount = Defaults.Key<Int>("launchCount", default: 0)
/// let shared = try UserDefaultsStore(suiteName: "group.org.example.greeter")
/// Defaults(shared).modify(launchCount) { $0 += 1 }
/// ```
///
/// **The contents** are those of `UserDefaults`, in the same order: on Apple's systems managed values, then launch arguments (`-key value`, as text, and the other forms
/// of `LaunchArguments`), the values of the suite, on Apple's systems those of the system, and registered defaults, which all
/// suites of a process share. Values cross
/// the border to Foundation exactly: booleans, integers and reals stay distinct, an integer keeps 64 bits, signed or unsigned,
/// and a date keeps its fraction. A value of other code that is not a property list is reported once to
/// `Defaults.onProblem(_:)`, reads as absent, and stays unchanged.
///
/// **Reads** come from memory and **writes** are batches, as in every store. Writes go to the suite.
///
/// **On Apple's systems** the store holds a copy of the values. It writes through to `UserDefaults`, and follows the writes of
/// other code and other processes by key-value observing, and by `didChangeNotification` and the activation of the app where a
/// name cannot be observed. The system saves. <doc:UserDefaultsOnApple> lists the promises and the limits.
///
/// **On Linux** the `UserDefaults` of swift-corelibs-foundation truncates its file to save it, takes no lock and loses
/// unsynchronized values. So the store itself maintains the file of the suite, `$XDG_CONFIG_HOME/<suite>.plist` or
/// `~/.config/<suite>.plist`, with the guarantees of `PropertyListFileStore`, and lets `UserDefaults` write only in
/// ``refresh()``. The first save turns the file into a binary property list, because XML loses the fractions of dates;
/// `UserDefaults` reads both. Code that uses `UserDefaults` directly counts as another program, even in this process: its
/// synchronized values arrive by themselves, the others with ``refresh()``. <doc:UserDefaultsOnLinux> compares the two line by
/// line.
///
/// Safe to use from any thread.
public final class UserDefaultsStore: RegisteringStore, ReloadableStore {
    public let name: String

    private let layers: LayeredStore
    private let values: any ActivityBroadcasting
    private let registered: any RegisteringStore
    private let source: any RefreshableSource

    /// Opens a suite: your own name, or the identifier of an app group.
    ///
    /// Reads all of its values, on Linux from its file. Nothing is written before a value changes.
    ///
    /// - Parameter suiteName: The name.
    /// - Throws: `StoreError` if no suite can have that name, or, on Linux, if its file cannot be opened: the
    ///   `FileStoreError` is its `underlying`, and the file stays unchanged. A file that cannot be parsed may be half written, so
    ///   opening retries for half a second before it throws.
    public convenience init(suiteName: String) throws(StoreError) {
        try self.init(SuiteName(suiteName))
    }

    /// Opens the suite of a `UserDefaults`.
    ///
    /// - Parameter userDefaults: The `UserDefaults`. A subclass is used through its methods: on Linux without the guarantees for
    ///   its file, which is unknown.
    /// - Throws: `StoreError`, like ``init(suiteName:)``.
    public convenience init(_ userDefaults: UserDefaults) throws(StoreError) {
        try self.init(opening: UserDefaultsReference(userDefaults))
    }

    /// Mirrors the own values of a `UserDefaults`.
    ///
    /// - Parameters:
    ///   - reference: The `UserDefaults`.
    ///   - domain: The name of the domain with its own values, if it is known.
    ///   - name: The name of the store.
    ///   - changes: The notifications of changes by others.
    ///   - arguments: The launch arguments.
    ///   - registered: The registered defaults.
    convenience init(
        mirroring reference: UserDefaultsReference,
        domain: String?,
        name: String,
        changes: any UserDefaultsChanges,
        arguments: any PropertyListStore = SurroundingLayers.ofProcess.arguments,
        registered: RegisteredDefaults = .ofProcess
    ) {
        let source = UserDefaultsSource(reference, domain: domain, registered: registered, store: name)
        let managed = SystemDomain(.aboveOwnValues, of: source)
        let system = SystemDomain(.belowOwnValues, of: source)
        let values = MirroredDomain(source, name: name, changes: changes, managed: managed, system: system)
        self.init(
            name: name,
            values: values,
            source: values,
            surroundings: SurroundingLayers(
                managed: managed,
                arguments: arguments,
                system: system,
                registered: registered
            )
        )
    }

    /// Puts the values of a suite between launch arguments and what lies below them.
    init(
        name: String,
        values: any ActivityBroadcasting,
        source: any RefreshableSource,
        surroundings: SurroundingLayers = .ofProcess
    ) {
        self.name = name
        self.source = source
        self.values = values
        registered = surroundings.registered
        let all: [(name: String, store: (any PropertyListStore)?)] = [
            ("managed", surroundings.managed), ("arguments", surroundings.arguments), ("values", values),
            ("system", surroundings.system), ("registered", surroundings.registered),
        ]
        layers = LayeredStore(
            all.compactMap { name, store in
                store.map { LayeredStore.Layer(name, $0, isWritable: $0 === values) }
            },
            name: name
        )
    }

    /// Picks up values that other code has written to `UserDefaults` without a notification.
    ///
    /// On Apple's systems all values are read again, which takes microseconds for each. On Linux the store's own values are
    /// saved, and then `UserDefaults` synchronizes while no store writes the file: it saves its unsaved values, in all of its
    /// suites, and reads the store's values.
    ///
    /// On return the store has the result of a read that began after the call; another thread that is reading or writing the
    /// values is awaited. If a write of the store to `UserDefaults` is further up the stack, for example in a handler of
    /// key-value observing, the call returns before that.
    ///
    /// - Throws: `StoreError` if, on Linux, the file could not be saved.
    public func refresh() throws(StoreError) {
        try source.refresh()
    }

    /// Does what ``refresh()`` does.
    ///
    /// - Throws: `StoreError` with the code `notReloaded` if, on Linux, the file could not be saved.
    public func reload() throws(StoreError) {
        do {
            try refresh()
        } catch {
            throw StoreError(
                .notReloaded,
                store: name,
                reason: error.reason,
                remedy: error.remedy,
                underlying: error
            )
        }
    }

    /// Registers defaults like `UserDefaults.register(defaults:)`: for all suites of the process, unsaved.
    public func register(_ values: PropertyListTable) throws(StoreError) {
        try registered.register(values)
    }
}

// Users call these as members of the protocol.
@_spi(StoreAuthors) extension UserDefaultsStore {
    public func revision(of stripe: KeyStripe) -> StoreRevision? { layers.revision(of: stripe) }

    public var writtenStore: any PropertyListStore { layers.writtenStore }

    public func storedValue(forKey key: String) -> StoredValue? {
        source.follow(key)
        return layers.storedValue(forKey: key)
    }

    public func snapshot() -> PropertyListTable {
        source.followAll()
        return layers.snapshot()
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        source.lookUp(batch)
        try layers.apply(batch)
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        switch keys {
        case .named(let names): names.forEach { source.follow($0.wrappedValue) }
        case .all: source.followAll()
        }
        return layers.observe(keys, initial: initial, receive)
    }

    /// Returns when everything applied before is as durable as `UserDefaults` makes it: on Linux, when it is on the disk.
    public func synchronize() throws(StoreError) { try layers.synchronize() }

    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        source.lookUp(batch)
        try await layers.commit(batch)
    }
}

/// The work of the store with its suite: on Linux with the file, and elsewhere with `UserDefaults`, whose own saves nobody reports.
@_spi(StoreAuthors) extension UserDefaultsStore: ActivityBroadcasting {
    package var activity: ActivityBroadcaster { values.activity }

    public var unsavedKeys: [String] { values.unsavedKeys }
}

@_spi(StoreAuthors) extension UserDefaultsStore: LayeredPropertyListStore, ProvenanceReporting {
    public var writableLayer: WritableLayer? { layers.writableLayer }

    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        for key in keys { source.follow(key) }
        return layers.provenance(forKeys: keys, findingLines: findingLines)
    }
}

extension UserDefaultsStore {
    /// The store of `UserDefaults.standard`.
    ///
    /// The first use opens it. If that fails, which happens only on Linux, the error is reported to `Defaults.onProblem(_:)`, the
    /// values live in memory, and `synchronize()` throws the error. The store reads its file as soon as that is possible: the
    /// values arrive as a change, and keys that were written meanwhile keep their new values. Opening retries a half-written
    /// file for half a second first.
    public static var standard: any RegisteringStore { openedStandard.published }

    private static let openedStandard = OpenedOnce { of(.standard) }

    /// The store of a `UserDefaults`, the same each time.
    ///
    /// The store of a suite stays open until the process ends. Where only the object is known, as on Apple's systems, that holds for
    /// the first 16 objects; the store of a further one lives as long as something retains it, and the last 16 always. If it cannot be opened, it behaves like ``standard``. On Linux it also
    /// posts `UserDefaults.didChangeNotification` for changes, as the system does elsewhere, and the methods of the object itself
    /// show the changes after ``refresh()``.
    ///
    /// - Parameter userDefaults: The `UserDefaults`; on Linux another object for the same suite has the same store. On Apple's
    ///   systems another object has another store, so keep the object instead of making one for each access.
    public static func of(_ userDefaults: UserDefaults) -> any RegisteringStore {
        SharedStores.ofProcess.store(of: UserDefaultsReference(userDefaults))
    }
}

/// The layers of a `UserDefaults` above and below the values of a suite.
struct SurroundingLayers: Sendable {
    /// The values of an administrator, if a `UserDefaults` shows any.
    var managed: (any PropertyListStore)?
    /// The launch arguments of the program.
    let arguments: any PropertyListStore
    /// The values of the system, if a `UserDefaults` shows any.
    var system: (any PropertyListStore)?
    /// The registered defaults, the lowest layer.
    let registered: any RegisteringStore

    /// The layers of the process, which all stores share.
    static var ofProcess: SurroundingLayers {
        SurroundingLayers(arguments: launchArguments, registered: RegisteredDefaults.ofProcess)
    }

    private static let launchArguments = LaunchArgumentsStore()
}

/// The source of the values of a ``UserDefaultsStore``.
protocol RefreshableSource: Sendable {
    /// Reads values that other code has written without a notification.
    func refresh() throws(StoreError)

    /// Follows a key from now on, and looks at it first if it is new; called before any layer is read.
    func follow(_ key: String)

    /// Follows all keys from now on.
    func followAll()

    /// Reads the values of which a batch expects something, if the source does not compare them itself.
    func lookUp(_ batch: PropertyListBatch)
}

// For a source that follows everything by itself.
extension RefreshableSource {
    func follow(_ key: String) {}

    func followAll() {}

    func lookUp(_ batch: PropertyListBatch) {}
}
