import KeyspanCore

/// One store's use of the table of a file: what the file stores of all formats have in common.
///
/// A value of its store, so that a read takes no step more than it would there. The table is given back when it ends.
struct OpenedTable: ~Copyable, Sendable {
    /// The absolute path of the file.
    let name: String

    private let table: FileBackedTable
    private let file: FileIdentity
    private let openTables: OpenTables
    private let validator: StoreValidation.Ticket?

    /// Opens a file, or shares the table of a store that has it open.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - codec: Its format.
    ///   - options: How the store behaves.
    ///   - unusable: What happens if the file cannot be used.
    ///   - validate: Looks at what others wrote, and now at what there is.
    ///   - seams: What the store is made of.
    init(
        path: String,
        codec: some FileCodec,
        options: FileStoreOptions,
        unusable: UnusableFile = .isRefused,
        validate: StoreValidation.Validator?,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        let fileSystem = InterruptRetryingFileSystem(seams.fileSystem)
        let shared = try SharedFile(path: path, codec: codec, policy: options.policy, fileSystem: fileSystem)
        let settings = FileTableSettings(format: codec.name, options: options)
        let identity = FileIdentity(of: shared.path, in: fileSystem)
        let openTables = seams.openTables
        let isStill = { (table: FileBackedTable) in
            identity == FileIdentity(of: AbsolutePath(table.path, relativeTo: "/"), in: fileSystem)
        }
        let table = try openTables.table(
            of: identity,
            settings: settings,
            isStill: isStill
        ) { () throws(FileStoreError) in
            let table = try FileBackedTable(
                opening: shared,
                unusable: unusable,
                settings: settings,
                timer: seams.timer,
                report: seams.report
            )
            if let watcher = seams.watcher, options.isWatching { table.follow(with: watcher) }
            return table
        }
        if unusable == .isRefused, table.isAwaitingFile {
            do {
                try table.refresh()
            } catch {
                openTables.close(table, of: identity)
                throw error
            }
        }
        do {
            try validate?(table.contents.snapshot())
        } catch {
            openTables.close(table, of: identity)
            throw .refused(path: shared.path.text, error)
        }
        name = shared.path.text
        file = identity
        self.openTables = openTables
        self.table = table
        validator = validate.map(table.validation.add)
    }

    deinit {
        if let validator {
            table.validation.remove(validator)
            table.fileMayHaveChanged()
        }
        openTables.close(table, of: file)
    }

    /// What was done about the file when it was opened.
    var recovery: FileRecovery? { table.recovery }

    var revision: StoreRevision { table.contents.revision }

    func storedValue(forKey key: String) -> StoredValue? {
        table.contents.storedValue(forKey: key)
    }

    func snapshot() -> PropertyListTable {
        table.contents.snapshot()
    }

    func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        table.provenance(forKeys: keys, store: name, findingLines: findingLines)
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try table.apply(batch, store: name)
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        table.contents.observe(keys, initial: initial, receive)
    }

    func synchronize() throws(StoreError) {
        try table.checkNotValidating(store: name)
        do {
            try table.save()
        } catch {
            throw .notDurable(error, store: name)
        }
    }

    func lendFile(to write: () -> Void) throws(FileStoreError) {
        try table.lend(to: write)
    }
}
