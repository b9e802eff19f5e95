@_spi(StoreAuthors) public import KeyspanCore

/// A folder with one file for each secret, as Docker, Kubernetes and systemd mount them, as a store: a layer of a `LayeredStore`.
///
/// ```swift
/// let password = Defaults.Key<String?>("database.password").secret()
/// let secrets = try SecretFolderStore(path: "/run/secrets", keys: [password], isOptional: true)
/// let defaults = Defaults(LayeredStore([.init("secrets", secrets), .init("memory", InMemoryStore(), isWritable: true)]))
/// ```
///
/// **The file of a key** has the name of the key, or its words in any spelling, by the rules of `EnvironmentStore`:
///
/// | file | key |
/// | --- | --- |
/// | `apiToken`, `api-token`, `api_token`, `API_TOKEN` | `apiToken`, or the given keys that have these words |
/// | `database.password`, `DATABASE__PASSWORD` | `database.password`; and `database`, a dictionary with a member `password` |
/// | any other name | the key of that name |
///
/// A file stands for the given keys that have its words. If there are none, it stands for the key of its own name, and for the
/// one that has its words in the store's `KeySpelling`. Of two files for one key, the one with the name of the key counts; if
/// neither has it, the first one by its UTF-8 does, and a notice names both. Hidden files (`.name`), folders, links that lead to
/// nothing, and names that are not UTF-8 are passed over.
///
/// **The value** is the text of the file without a byte-order mark and one line end (LF or CRLF) at its end, which keys of other types convert as they
/// convert an environment variable. A file that is not UTF-8 is data with its bytes.
///
/// **A file is refused**, and gives no value, if every user of the system may write it, or read it and
/// `allowsWorldReadable` is `false`; if it is larger than 1 MiB; if it is a pipe, a socket or a device; or if the process may not
/// read it. A ``FileStoreNotice`` of the kind ``FileStoreNotice/Kind/unusableSecret`` names the file and the remedy.
///
/// **A file that no key has** is reported once with the nearest key if the store is given keys, or refused with all others of its
/// version if the store is strict: when it is opened by an error, and later like a version that cannot be read. A file with the
/// name of a dictionary's member is known if the key of the dictionary is.
///
/// **A rotation** arrives as one change. The files are read as one version: those of a folder that is mounted by Kubernetes
/// through its `..data` link, and all of them again if the link was replaced meanwhile. In a folder without that link, files that
/// are replaced within 20 milliseconds arrive together. If the folder is missing or cannot be read, or if a file is refused that had a
/// value before, all values stay as they were, a notice of the kind ``FileStoreNotice/Kind/unreadable`` says why, and the
/// folder is read again at growing intervals and on each event.
///
/// **A value that a key cannot use**, because it cannot be read or breaks a rule of the key, does not take effect while the store is open, if
/// the store is given the key: the key keeps the value before, and a notice of the kind ``FileStoreNotice/Kind/valuesHeldBack`` says so once.
/// Otherwise the key reads its default; see <doc:FollowingChanges>.
///
/// Reads answer from memory, and writes are refused. Safe to use from any thread.
public final class SecretFolderStore: ReadOnlyStore, FollowedSource {
    /// The absolute path of the folder.
    public let name: String

    var path: String { name }

    package var remedyForWrite: String { "replace the file in the folder, or write to another layer" }

    private let contents = CommittedTable([:])
    private let names: VariableNames
    let queue: any WorkQueue
    let report: @Sendable (FileReport) -> Void
    let examination = Examination()
    package let activity = ActivityBroadcaster()
    let following = Locked(Following(WorkSchedule(completed: 0, delay: Following.delay)))
    /// Held while the folder is read, so that an older version never replaces a newer one.
    private let reading: Locked<SecretFolderReading>
    /// The paths of the files that gave each key its value.
    private let origins = Locked(TextDictionary<[String]>())

    /// Reads the files of a folder, and follows their changes.
    ///
    /// - Parameters:
    ///   - path: The path of the folder. A relative path is made absolute now.
    ///   - keys: Keys of the program. The store finds their files whatever their spelling is.
    ///   - unknownNames: What happens to files that none of the keys has, if keys are given: by default each is reported once to
    ///     `Defaults.onProblem(_:)`, with the nearest key.
    ///   - alsoKnown: The names of files that the program reads itself, or that are for other programs.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - isOptional: Whether the folder may be missing. The store then has no values until there is one.
    ///   - allowsWorldReadable: Whether files are read that every user of the system may read. Docker mounts secrets with the
    ///     mode 0444 and Kubernetes with 0644 unless told otherwise; a container with one user is safe with either.
    ///   - isWatching: Whether the store follows the folder. Otherwise its values change only with ``reload()``.
    /// - Throws: ``FileStoreError`` if the folder is missing or cannot be read, or has a file that no key has and `unknownNames` is
    ///   strict.
    public convenience init(
        path: String,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        isOptional: Bool = false,
        allowsWorldReadable: Bool = false,
        isWatching: Bool = true
    ) throws(FileStoreError) {
        var seams = FileStoreSeams.ofProcess()
        if !isWatching { seams.watcher = nil }
        try self.init(
            path: path,
            names: VariableNames(prefix: "", keys: keys, spelling: spelling),
            checking: keys,
            unknownNames: unknownNames,
            alsoKnown: alsoKnown,
            isOptional: isOptional,
            allowsWorldReadable: allowsWorldReadable,
            seams: seams
        )
    }

    /// Reads the files of a folder through the seams that tests replace.
    package init(
        path: String,
        names: VariableNames = VariableNames(prefix: "", keys: [], spelling: .camelCase),
        checking keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areIgnored,
        alsoKnown: [String] = [],
        isOptional: Bool = false,
        allowsWorldReadable: Bool = false,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        let fileSystem = InterruptRetryingFileSystem(seams.fileSystem)
        let folder = SecretFolder(
            path: try fileSystem.locate(path),
            allowsWorldReadable: allowsWorldReadable,
            fileSystem: fileSystem
        )
        name = folder.path.text
        self.names = names
        queue = seams.queue
        report = seams.report
        reading = Locked(
            SecretFolderReading(
                of: folder,
                isOptional: isOptional,
                unknownNames,
                alsoKnown: alsoKnown,
                checking: keys
            )
        )
        _ = try readSource()
        if let watcher = seams.watcher { follow(.folder(folder.path), at: folder.path, with: watcher) }
    }
}

// MARK: - Following the folder

extension SecretFolderStore {
    /// Reads the folder and lets its values take effect.
    func readSource() throws(FileStoreError) -> SourceReading {
        let (secrets, read) = try reading.withLock {
            (reading) throws(FileStoreError) -> (SecretFolderReading.Secrets?, SourceReading) in
            guard let secrets = try reading.readSecrets(named: names, after: contents.snapshot(), in: examination)
            else { return (nil, SourceReading()) }
            origins.withLock { $0 = secrets.origins }
            let before = contents.revision
            contents.replace(by: secrets.values, isText: true)
            let isChange = contents.revision != before
            return (
                secrets,
                SourceReading(isChange: isChange, held: reading.held, isNewlyHeld: secrets.isNewlyHeld)
            )
        }
        for notice in secrets?.notices ?? [] { report(.notice(notice)) }
        Defaults.UnknownName.report(secrets?.unknown ?? [])
        contents.deliver()
        return read
    }
}

// MARK: - Reading keys

@_spi(StoreAuthors)
extension SecretFolderStore: ProvenanceReporting, CountingStore, ReloadableStore, ActivityBroadcasting {
    package var revisionCells: [RevisionCells]? { contents.revisionCells }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? {
        contents.value(forKey: key).map { StoredValue($0, isText: true) }
    }

    public func snapshot() -> PropertyListTable { contents.snapshot() }

    /// Reads the folder now, also if the store does not follow it.
    public func reload() throws(StoreError) { try readSource(for: name) }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    /// The path of the file that has the value of each key, or the paths of the files of a dictionary's members.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        let (values, origins) = (contents.snapshot(), self.origins.withLock { $0 })
        return keys.reduce(into: [:]) { found, key in
            guard values[key] != nil else { return }
            // A change between the two reads may have brought the key.
            found[key] = Provenance((origins[key] ?? [name]).map { .init(store: $0) })
        }
    }
}
