@_spi(StoreAuthors) public import KeyspanCore

/// A store that keeps its values in a property-list file, XML or binary: a ``JSONFileStore`` in all but the format.
///
/// ```swift
/// let store = try PropertyListFileStore(path: "/var/lib/greeter/com.example.greeter.plist")
/// try store.apply(PropertyListBatch(.set("dark", key: "theme")))
/// try store.synchronize()  // from here on the value survives a power failure
/// ```
///
/// It serves the `.plist` files that Foundation writes, with the guarantees of a file store: no crash can tear the file,
/// several processes share it, other writers' changes are noticed, and a damaged file is not overwritten. ``JSONFileStore``
/// and <doc:KeepingSettingsInAFile> describe these guarantees; <doc:ServingPropertyListFiles> describes the particularities of
/// property-list files.
///
/// **The format** of a file does not change, unless the store is opened with a format: then the next save converts the file. A
/// new file is binary.
///
/// **XML cannot hold every value**: dates are rounded to the whole second when they are stored, and a string with a control
/// character or a date before the year 0 or after 9999 throws `StoreError.Code.unsupportedValue` and changes nothing. Control
/// characters that the file already has are read and kept. The binary format holds every value. ``PropertyListData`` has the
/// list.
///
/// **Programs that read the file by themselves** see what was checkpointed: with a journal, everything except the changes of
/// the last two seconds; with ``FileStoreOptions/Journal/none``, everything that was saved.
///
/// Safe to use from any thread.
public final class PropertyListFileStore: FileStore {
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
    ///   - format: The format in which the file is saved; `nil` keeps the file's own format, or saves a new file as binary.
    ///     Stores that have a file open at the same time must have the same format.
    ///   - keys: The keys of the program. New ones are nested where the file nests others: `tls.port` as `{"tls": {"port": 443}}`. Lists
    ///     such as snapshots have them, and unknown names are found by them; the values that a name leads to do not depend on them.
    ///   - unknownNames: What happens to names in the file that none of the keys has, if keys are given: by default each is reported
    ///     once to `Defaults.onProblem(_:)`, with its line and the nearest key.
    ///   - options: How the store behaves. Stores that have a file open at the same time must have equal options.
    ///   - validate: Examines the whole contents before another writer's version takes effect, and throws to reject it, as
    ///     for a ``JSONFileStore``.
    /// - Throws: ``FileStoreError`` if the file cannot be read, is not a property list with a dictionary within the limits
    ///   of ``PropertyListData``, has a value that the chosen format cannot hold, or is rejected by `validate`. The file is
    ///   unchanged.
    public convenience init(
        path: String,
        format: PropertyListFormat? = nil,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        options: FileStoreOptions = FileStoreOptions(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws(FileStoreError) {
        try self.init(
            path: path,
            format: format,
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
            codec: PropertyListFileCodec(nil),
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
        format: PropertyListFormat? = nil,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        options: FileStoreOptions = FileStoreOptions(),
        unusable: UnusableFile = .isRefused,
        validate: StoreValidation.Validator? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        lease = try FileLease(
            path: path,
            codec: PropertyListFileCodec(format),
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

    /// Runs another program's write of the file while no store writes it, and then reads the result.
    ///
    /// - Parameter write: Called under the file's lock, when everything that was applied before is in the file.
    package func withExclusiveFile(_ write: () -> Void) throws(FileStoreError) {
        try engine.withExclusiveFile(write)
    }
}
