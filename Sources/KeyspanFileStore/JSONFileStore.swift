@_spi(StoreAuthors) public import KeyspanCore

/// A store that keeps its values in a JSON file which people can read and edit, which several processes share, and
/// which no crash can tear.
///
/// ```swift
/// let store = try JSONFileStore(path: "/var/lib/greeter/settings.json")
/// try store.apply(PropertyListBatch(.set("dark", key: "theme")))
/// try store.synchronize()  // from here on the value survives a power failure
/// ```
///
/// **Reads and writes** use only memory and never wait for the disk, with two exceptions: batches that expect something of
/// the values they replace (``FileStoreOptions/expectations``), and all batches with
/// ``FileStoreOptions/Durability/everyBatch``. ``JSONText`` describes the form of the file.
///
/// **Saves** happen in the background, at most ``FileStoreOptions/saveDelay`` after a change, however many changes follow;
/// in `synchronize()`; when the last store of the file is released; and when the process exits normally. The last two wait
/// for the disk. A save goes to a journal beside the file, and a checkpoint brings it into the file within seconds; neither
/// can be torn. Nothing is written until a value has changed. <doc:KeepingSettingsInAFile> says what a crash can lose in each
/// mode.
///
/// **A save that fails** (full disk, read-only folder, too many open files) leaves the disk as it was. The values stay
/// in memory, the failure is reported to `Defaults.onProblem(_:)`, and background saves are retried at growing intervals of
/// up to 30 seconds; the next save that succeeds includes everything. Only a store that is released, or a process that exits,
/// gives up after one last attempt.
///
/// **Other writers** may change the file at any time: processes with a store on it, whose changes are merged key by key, and
/// people with editors. The store notices their changes without being asked; see <doc:FollowingChanges>. Stores on one file
/// in one process share their values in memory, so their options must be the same.
///
/// **The text** of the file stays as a person wrote it where no value changed: order, indentation, blank lines and the spelling
/// of numbers. <doc:KeepingSettingsInAFile> says where new keys go.
///
/// **The file** keeps its owner, its group and its permissions. A new file is accessible to its owner alone (0600), and so
/// are folders that are made for it (0700). Folders are made by the first save and never again later. Symbolic links to the
/// file are kept: the file that they lead to is replaced. Access control lists, extended attributes and hard links are not
/// kept. A process without the right to keep the group takes the group's permissions away. Because the file is replaced and
/// not written to, its owner can save a file without write permission, but not one in a folder without write permission.
/// Nothing is written to a file or a link of another user in a folder such as `/tmp`. <doc:ThreatModel> says what that defends against.
///
/// **A damaged file** is not opened and not overwritten, unless recovery is asked for: <doc:RecoveringFromDamage>.
///
/// Safe to use from any thread.
public final class JSONFileStore: FileStore {
    /// The absolute path of the file.
    public let name: String

    package var engine: FileEngine { lease.engine }
    package var listing: EntryListing? { lease.listing }

    /// The result of recovering the file when it was opened; `nil` if the file could be parsed or no recovery was asked for.
    public var recovery: FileRecovery? { engine.recovery }

    private let lease: FileLease

    /// Opens a file, or a store without values if the file does not exist yet.
    ///
    /// Reads the whole file and its journal. Writes nothing, unless the file must be recovered. Throws, without waiting, if
    /// the path leads to a pipe or a device.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A relative path is made absolute now, so a later change of the working folder does
    ///     not move the store.
    ///   - keys: The keys of the program. New ones are nested where the file nests others: `tls.port` as `{"tls": {"port": 443}}`. Lists
    ///     such as snapshots have them, and unknown names are found by them; the values that a name leads to do not depend on them.
    ///   - unknownNames: What happens to names in the file that none of the keys has, if keys are given: by default each is reported
    ///     once to `Defaults.onProblem(_:)`, with its line and the nearest key.
    ///   - options: How the store behaves. Stores that have a file open at the same time must have equal options.
    ///   - validate: Examines the whole contents before another writer's version takes effect, and throws to reject it. The
    ///     previous values then stay, a `storeNotice` reports the rejection, and the next version is examined again. Called
    ///     on any thread, with the file locked if a batch waits for the answer; not called for writes of this process. It
    ///     must not write, reload or synchronize this store, nor open the file. It is also called before the store opens.
    /// - Throws: ``FileStoreError`` if the file cannot be read, is not a JSON object within the limits of ``JSONText``, or
    ///   is rejected by `validate`. The file is unchanged.
    public convenience init(
        path: String,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        options: FileStoreOptions = FileStoreOptions(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws(FileStoreError) {
        try self.init(
            path: path,
            keys: keys,
            unknownNames: unknownNames,
            options: options,
            validate: validate,
            seams: .ofProcess()
        )
    }

    /// Opens a file for a visitor, which has no keys.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - names: The names that may be nested where the file does not have them.
    ///   - options: How the store behaves.
    /// - Throws: ``FileStoreError`` as for a program's store.
    package init(path: String, nesting names: [String], options: FileStoreOptions) throws(FileStoreError) {
        lease = try FileLease(
            path: path,
            codec: JSONFileCodec(allowingComments: options.comments.areAllowed(inFileAt: path)),
            nesting: names,
            unknownNames: .areIgnored,
            options: options,
            unusable: .isRefused,
            validate: nil,
            seams: .ofProcess()
        )
        name = lease.name
    }

    /// Opens a file through the seams that tests replace, or one that may be unusable for now.
    package init(
        path: String,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        options: FileStoreOptions = FileStoreOptions(),
        unusable: UnusableFile = .isRefused,
        validate: StoreValidation.Validator? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        lease = try FileLease(
            path: path,
            codec: JSONFileCodec(allowingComments: options.comments.areAllowed(inFileAt: path)),
            keys: keys.flatMap(\.entryNames),
            checking: keys,
            unknownNames: unknownNames,
            options: options,
            unusable: unusable,
            validate: validate,
            seams: seams
        )
        name = lease.name
    }
}
