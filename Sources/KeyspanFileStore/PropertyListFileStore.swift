public import KeyspanCore

/// A store that keeps its values in a property-list file, XML or binary: a ``JSONFileStore`` in all but the format.
///
/// ```swift
/// let store = try PropertyListFileStore(path: "/var/lib/greeter/com.example.greeter.plist")
/// try store.apply(PropertyListBatch(.set("dark", key: "theme")))
/// try store.synchronize()  // from here on the value survives a power failure
/// ```
///
/// It serves the `.plist` files that Foundation writes, with the guarantees of a file store: no crash can tear the file,
/// several processes share it, changes by others arrive by themselves, a damaged file is not overwritten. ``JSONFileStore``
/// and <doc:KeepingSettingsInAFile> say all of that; <doc:ServingPropertyListFiles> what is particular to these files.
///
/// **The format** of a file stays as it is, unless the store is opened with one: then the next save converts the file. A
/// new file is binary.
///
/// **What XML cannot hold**: dates are stored to the whole second, and read so at once; a string with a control character
/// and a date before the year 0 or after 9999 are refused with `StoreError.Code.unsupportedValue`, and nothing is changed.
/// Control characters that the file has already are read and kept.
/// The binary format holds every value. ``PropertyListData`` has the list.
///
/// **Programs that read the file by themselves** find in it what was folded into it: with a journal everything but the
/// changes of the last two seconds, and with ``FileStoreOptions/Journal/none`` all that was saved.
///
/// Safe to use from any thread.
public final class PropertyListFileStore: ProvenanceReporting {
    /// How a store behaves.
    public typealias Options = FileStoreOptions
    /// The formats.
    public typealias Format = PropertyListData.Format

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
    ///   - format: The format in which the file is saved; `nil` for the one that it has, or the binary one for a new file.
    ///     Stores that have a file open at the same time have to agree on it.
    ///   - options: How the store behaves. Stores that have a file open at the same time have to agree on them.
    ///   - validate: Looks at the whole contents before what others wrote comes into force, and throws to refuse it, as for
    ///     a ``JSONFileStore``.
    /// - Throws: ``FileStoreError`` if the file cannot be read, is not a property list with a dictionary within the limits
    ///   of ``PropertyListData``, has a value that the chosen format cannot hold, or is refused by `validate`. The file is
    ///   as it was before.
    public convenience init(
        path: String,
        format: Format? = nil,
        options: Options = Options(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws(FileStoreError) {
        try self.init(path: path, format: format, options: options, validate: validate, seams: .ofProcess())
    }

    /// Opens a file through the seams that tests replace, or one that may be unusable for now.
    package init(
        path: String,
        format: Format? = nil,
        options: Options = Options(),
        unusable: UnusableFile = .isRefused,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        opened = try OpenedTable(
            path: path,
            codec: PropertyListFileCodec(format),
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

    /// The file's path, with the line of each value if lines are asked for and the file is XML.
    ///
    /// To find lines, the file is read and parsed as it is on the disk now, after a save that is running. A value of which the
    /// file has another one or none, because it was not saved yet, is in the journal, or was changed by others just now,
    /// gets no line and the words `(not in the file now)`. In a binary file, and if the file cannot be read or parsed, no
    /// value gets a line.
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

    /// Lets a program that takes no lock write the file, while no store does, and lets in what that wrote.
    ///
    /// - Parameter write: Called under the file's lock, when everything that was applied before is in the file.
    package func lendFile(to write: () -> Void) throws(FileStoreError) {
        try opened.lendFile(to: write)
    }
}
