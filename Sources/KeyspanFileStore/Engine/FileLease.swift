@_spi(StoreAuthors) internal import KeyspanCore

/// One store's use of the engine of a file, which is returned when the lease ends.
struct FileLease: ~Copyable, Sendable {
    /// The absolute path of the file, as this store reaches it.
    let name: String
    /// The engine, which the other stores of the file in this process share.
    let engine: FileEngine

    /// How the store lists the entries of the file.
    let listing: EntryListing?

    private let openEngines: OpenEngines
    private let tickets: [StoreValidation.Ticket]

    /// Opens a file, or shares the engine of a store that has it open.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - codec: Its format.
    ///   - keys: The names of the entries of the store's keys, which the store shows as such.
    ///   - names: Other names that may be nested where the file does not have them.
    ///   - checked: The keys whose values are examined.
    ///   - unknownNames: What happens to other names.
    ///   - options: How the store behaves.
    ///   - unusable: What happens if the file cannot be used.
    ///   - validate: Examines what others wrote, and now the present contents.
    ///   - seams: The parts that tests replace.
    init(
        path: String,
        codec: some FileCodec,
        keys: [String] = [],
        nesting names: [String] = [],
        checking checked: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames,
        options: FileStoreOptions,
        unusable: UnusableFile,
        validate: StoreValidation.Validator?,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        let fileSystem = InterruptRetryingFileSystem(seams.fileSystem)
        let naming = options.naming(nesting: keys)
        let file = try SharedFile(
            path: path,
            codec: codec,
            nesting: keys + names,
            options: options,
            fileSystem: fileSystem
        )
        let openEngines = seams.openEngines
        let engine = try openEngines.engine(
            of: file.path,
            in: fileSystem,
            format: codec.name,
            options: options
        ) { () throws(FileStoreError) in
            let engine = try FileEngine(opening: file, unusable: unusable, queue: seams.queue, report: seams.report)
            if let watcher = seams.watcher, options.isWatching { engine.watchFile(with: watcher) }
            return engine
        }
        let unknown = UnknownNameCheck(
            of: keys,
            unknownNames,
            path: file.path.text,
            sizeLimit: options.limits.fileSize,
            engine.codec,
            naming,
            fileSystem
        )
        let path = file.path.text
        let values = UnusableValueCheck(of: checked, options.unusableValues, path: path) {
            [codec = engine.codec] entries in
            codec.lines(of: entries, inFileAt: path, naming, sizeLimit: options.limits.fileSize, fileSystem)
        }
        let listing = EntryListing(of: keys)
        var validators: [StoreValidation.Validator] = []
        if let validate { validators.append { try validate($0.listed(by: listing)) } }
        if let unknown {
            // Weak, because the engine has the validators.
            validators.append { [weak engine] table in
                guard let engine else { return }
                let present = engine.contents.snapshot()
                try unknown.check(table.listed(by: listing), madeOf: present.listed(by: listing)) {
                    engine.runInBackground($0)
                }
            }
        }
        var tickets: [StoreValidation.Ticket] = []
        do {
            // Another store may have opened the file before it could be used.
            if unusable == .isRefused {
                let wait = try engine.beginWait()
                defer { wait?.end() }
                if engine.isAwaitingFile { try engine.refresh() }
            }
            // Before the contents are examined, so that no later version takes effect unexamined.
            tickets = validators.map { engine.validation.add($0) } + (values.map { [engine.validation.add($0)] } ?? [])
            try Self.examine(engine, listing, path: path, validate: validate, unknown, values)
            // An engine that another store opened may not know the keys of this one.
            try engine.learn(keys + names)
        } catch {
            Self.withdraw(tickets, from: engine)
            openEngines.close(engine)
            throw error
        }
        name = path
        self.listing = listing
        self.openEngines = openEngines
        self.engine = engine
        self.tickets = tickets
    }

    /// Checks that the contents can be used by one more store.
    private static func examine(
        _ engine: FileEngine,
        _ listing: EntryListing?,
        path: String,
        validate: StoreValidation.Validator?,
        _ names: UnknownNameCheck?,
        _ values: UnusableValueCheck?
    ) throws(FileStoreError) {
        let table = engine.contents.snapshot()
        let contents = table.listed(by: listing)
        let examination = engine.validation.examination
        do {
            try examination.run { try validate?(contents) }
        } catch {
            throw .refused(path: path, error)
        }
        try names?.checkFirst(contents)
        if let values, values.policy == .areRefused,
            let error = examination.run({
                values.unusableValues(in: table, writtenTo: table.unsortedKeys, unless: { table[$0] == nil })
            })
        {
            throw .refused(path: path, error)
        }
    }

    /// Ends the validation of a store.
    private static func withdraw(_ tickets: [StoreValidation.Ticket], from engine: FileEngine) {
        if tickets.isEmpty { return }
        for ticket in tickets { engine.validation.remove(ticket) }
        // The remaining validators may accept what these rejected.
        engine.fileMayHaveChanged()
    }

    deinit {
        Self.withdraw(tickets, from: engine)
        openEngines.close(engine)
    }
}

/// What opening an engine does with a file that exists and cannot be used.
package enum UnusableFile: Sendable {
    /// Opening throws.
    case isRefused
    /// The table begins empty, the error is reported, and the file is read as soon as that is possible.
    ///
    /// Until then every save fails, so the file stays as it is, and a batch with expectations is rejected because the values
    /// that it depends on are unknown. When the file is read, its values reach the table as changes by another process do: a
    /// key that was written meanwhile keeps the written value, and any other key gets the file's value.
    case isAwaited
}

/// Opens files that are also written by programs that take no lock: `UserDefaults`, and editors that write in place.
///
/// Such a file is empty or half written for a moment, and a program that starts in that moment must not go without it.
package enum PatientOpening {
    private static let limit = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(10)

    /// Opens a store, and retries for half a second while its file cannot be parsed.
    ///
    /// - Parameters:
    ///   - unusable: What happens if the file cannot be used in the end.
    ///   - sleep: Stops the thread for a time.
    ///   - open: Opens the store.
    /// - Throws: ``FileStoreError`` from the last attempt.
    package static func open<Store>(
        unusable: UnusableFile,
        sleep: (Duration) -> Void = LockPatience.stopThread,
        _ open: (UnusableFile) throws(FileStoreError) -> Store
    ) throws(FileStoreError) -> Store {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(FileStoreError) {
                return try open(.isRefused)
            } catch {
                if error.step == .parse, ContinuousClock.now < deadline {
                    sleep(interval)
                    continue
                }
                switch unusable {
                case .isRefused: throw error
                case .isAwaited: return try open(.isAwaited)
                }
            }
        }
    }
}
