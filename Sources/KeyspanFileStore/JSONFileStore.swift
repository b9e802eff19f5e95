public import KeyspanCore

/// A store that keeps its values in a JSON file which people can read and edit, which several processes share, and
/// which no crash can tear.
///
/// ```swift
/// let store = try JSONFileStore(path: "/var/lib/greeter/settings.json")
/// try store.apply(PropertyListBatch(.set("dark", key: "theme")))
/// try store.synchronize()  // from here on the value survives a power failure
/// ```
///
/// **Reads and writes** use the memory only and never wait for the disk, except for batches that expect something of what
/// they replace (``FileStoreOptions/expectations``) and for all batches with ``FileStoreOptions/Durability/everyBatch``.
/// ``JSONText`` describes the form of the file.
///
/// **Saves** happen in the background, at the latest ``FileStoreOptions/saveDelay`` after a change however many follow
/// it; in ``synchronize()``; when the last store of the file is released; and when the process exits normally. The last
/// two wait for the disk. A save goes to a journal beside the file, and from there into the file within seconds; both
/// stay whole whatever happens. Nothing is written until a value has changed. <doc:KeepingSettingsInAFile> says what a
/// crash can lose in each mode.
///
/// **A save that fails** (full disk, read-only folder, too many open files) leaves the disk as it was. The values stay
/// in memory, the failure is reported to `Defaults.onProblem(_:)`, the background saves go on trying at growing
/// intervals of up to 30 seconds, and the next one that succeeds saves everything. Only a store that is released, or a
/// process that exits, gives up after one last attempt.
///
/// **Others** may change the file at any time: processes with a store on it, whose changes are merged key by key, and
/// people with editors. Their changes arrive by themselves; <doc:FollowingChanges>. Stores on one file in one process
/// share what they have in memory, so their options must be the same.
///
/// **The file** keeps its owner, its group and its permissions; a new one is for its owner alone (0600), and so are
/// folders that are made for it (0700). They are made by the first save, never again later. Links in the place of the
/// file stay links: the file that they lead to is replaced. Access control lists, extended attributes and hard links
/// are not kept. A process without the right to keep the group takes the group's permissions away. Because the file is
/// replaced and not written to, a file without write permission is no obstacle to its owner; a folder without it is.
/// <doc:ThreatModel> says what that defends against.
///
/// **A damaged file** is not opened and not overwritten, unless recovery is asked for: <doc:RecoveringFromDamage>.
///
/// Safe to use from any thread.
public final class JSONFileStore: ProvenanceReporting {
    /// How a store behaves.
    public typealias Options = FileStoreOptions

    /// The absolute path of the file.
    public var name: String { opened.name }
    /// What was done about the file when it was opened, if it could not be parsed and recovery was asked for.
    public var recovery: FileRecovery? { opened.recovery }

    private let opened: OpenedTable

    /// Opens a file, or a store without values if there is no such file yet.
    ///
    /// Reads the whole file and its journal; writes nothing, unless the file has to be recovered. A pipe or a device in its
    /// place is refused without waiting for it.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A relative one is made absolute now, so a later change of the working folder does
    ///     not move the store.
    ///   - options: How the store behaves. Stores that have a file open at the same time have to agree on them.
    ///   - validate: Looks at the whole contents before what others wrote comes into force, and throws to refuse it. The
    ///     values before it then stay, a `storeNotice` tells so, and the next version is looked at again. Called on any
    ///     thread, with the file locked if a batch waits for the answer; not for what this process writes. It may not write
    ///     or synchronize this store. It is also asked before the store opens.
    /// - Throws: ``FileStoreError`` if the file cannot be read, is not a JSON object within the limits of ``JSONText``, or
    ///   is refused by `validate`. The file is as it was before.
    public convenience init(
        path: String,
        options: Options = Options(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws(FileStoreError) {
        try self.init(path: path, options: options, validate: validate, seams: .ofProcess())
    }

    /// Opens a file through the seams that tests replace, or one that may be unusable for now.
    package init(
        path: String,
        options: Options = Options(),
        unusable: UnusableFile = .isRefused,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        opened = try OpenedTable(
            path: path,
            codec: JSONFileCodec(),
            options: options,
            unusable: unusable,
            validate: validate,
            seams: seams
        )
    }

    public var revision: StoreRevision? { opened.revision }

    public func storedValue(forKey key: String) -> StoredValue? {
        opened.storedValue(forKey: key)
    }

    public func snapshot() -> PropertyListTable {
        opened.snapshot()
    }

    /// The file's path, with the line of each value if lines are asked for.
    ///
    /// To find lines, the file is read and parsed as it is on the disk now, after a save that is running. A value of which the
    /// file has another one or none, because it was not saved yet, is in the journal, or was changed by others just now,
    /// gets no line and the words `(not in the file now)`. If the file cannot be read or parsed, no value gets a line.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        opened.provenance(forKeys: keys, findingLines: findingLines)
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try opened.apply(batch)
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        opened.observe(keys, initial: initial, receive)
    }

    public func synchronize() throws(StoreError) {
        try opened.synchronize()
    }
}
