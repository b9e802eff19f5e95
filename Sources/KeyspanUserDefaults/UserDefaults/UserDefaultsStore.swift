public import Foundation
public import KeyspanCore

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
/// **What it has** is what `UserDefaults` has, in the same order: launch arguments (`-key value`, as text, and the other forms
/// of `LaunchArguments`), the values of the suite, and registered defaults, which all suites of a process share. Values cross the border to Foundation exactly: a truth
/// value, an integer and a real stay different, an integer keeps 64 bits with or without a sign, a date keeps its fraction. A
/// value that other code put there and that is no property list is reported once to `Defaults.onProblem(_:)`, read as none,
/// and left as it is.
///
/// **Reads** are answered from memory and **writes** are batches, as everywhere. Writes go to the suite.
///
/// **On Apple's systems** the store holds a copy of the values. It writes through to `UserDefaults`, and follows what other code
/// and other processes write there by key-value observing, and by `didChangeNotification` for names that cannot be observed:
/// those with a dot, and those that begin with `@`. Of such a name, a change that another process makes arrives when the
/// app becomes active, with the next change by this process, and with ``refresh()``. The system saves.
///
/// **On Linux** `UserDefaults` of swift-corelibs-foundation truncates its file to save it, takes no lock and loses what is not
/// synchronized. So the store keeps the file of the suite, `$XDG_CONFIG_HOME/<suite>.plist` or `~/.config/<suite>.plist`, by
/// itself, with the guarantees of `PropertyListFileStore`, and lets `UserDefaults` write in ``refresh()`` only. The file
/// becomes a binary property list when it is first saved, because XML loses the fractions of dates; `UserDefaults` reads
/// both. Code that uses `UserDefaults` itself is like another program to it, in this process too: what such code has
/// synchronized arrives by itself, what it has not with ``refresh()``. <doc:UserDefaultsOnLinux> compares the two line by line.
///
/// Safe to use from any thread.
public final class UserDefaultsStore: RegisteringStore, LayeredPropertyListStore, ProvenanceReporting {
    public let name: String

    private let layers: LayeredStore
    private let registered: any RegisteringStore
    private let source: any RefreshableSource

    /// Opens a suite: a name of your own, or the identifier of an app group.
    ///
    /// Reads all of its values. On Linux that reads its file, and nothing is written before a value has changed.
    ///
    /// - Parameter suiteName: The name.
    /// - Throws: `StoreError` if no suite can have that name, or, on Linux, if its file cannot be opened: the
    ///   `FileStoreError` is its `underlying`, and the file is left as it is. One that cannot be parsed may be half written, and
    ///   is looked at for half a second before that.
    public convenience init(suiteName: String) throws(StoreError) {
        try self.init(SuiteName(suiteName))
    }

    /// Opens the suite of a `UserDefaults`.
    ///
    /// - Parameter userDefaults: The `UserDefaults`. One of a subclass is used as it is: on Linux without the guarantees for
    ///   its file, because that cannot be known.
    /// - Throws: `StoreError` as ``init(suiteName:)`` does.
    public convenience init(_ userDefaults: UserDefaults) throws(StoreError) {
        try self.init(opening: UserDefaultsReference(userDefaults))
    }

    /// Puts the values of a suite between launch arguments and registered defaults.
    init(
        name: String,
        values: any PropertyListStore,
        source: any RefreshableSource,
        surroundings: SurroundingLayers = .ofProcess
    ) {
        self.name = name
        self.source = source
        registered = surroundings.registered
        layers = LayeredStore(
            [
                .init("arguments", surroundings.arguments),
                .init("values", values, isWritable: true),
                .init("registered", surroundings.registered),
            ],
            name: name
        )
    }

    /// Takes over what code that uses `UserDefaults` itself has written in the meantime, without being told.
    ///
    /// On Apple's systems all values are read again, which takes microseconds for each. On Linux the store's own values are
    /// saved, and then `UserDefaults` synchronizes while no store writes the file: it saves what it has not saved, in all of its
    /// suites, and reads what the store has.
    ///
    /// Returns when what a look at the values has found that began after the call is in the store, and waits for another thread that
    /// is reading or writing them. Called by code that a write of the store to `UserDefaults` has called, such as a handler of
    /// key-value observing, it returns before that.
    ///
    /// - Throws: `StoreError` if, on Linux, the file could not be saved.
    public func refresh() throws(StoreError) {
        RegisteredDefaults.ofProcess.refresh()
        try source.refresh()
    }

    /// Registers defaults, as `UserDefaults.register(defaults:)` does: for all suites of the process, and unsaved.
    public func register(_ values: PropertyListTable) throws(StoreError) {
        try registered.register(values)
    }

    public var revision: StoreRevision? { layers.revision }

    public var writtenStore: any PropertyListStore { layers.writtenStore }

    public var writableLayer: WritableLayer? { layers.writableLayer }

    public func storedValue(forKey key: String) -> StoredValue? { layers.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { layers.snapshot() }

    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        layers.provenance(forKeys: keys, findingLines: findingLines)
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) { try layers.apply(batch) }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        layers.observe(keys, initial: initial, receive)
    }

    /// Returns when what was applied before is saved as `UserDefaults` saves it: on Linux, when it is on the disk.
    public func synchronize() throws(StoreError) { try layers.synchronize() }

    public func commit(_ batch: PropertyListBatch) async throws(StoreError) { try await layers.commit(batch) }
}
