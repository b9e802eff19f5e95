@_spi(StoreAuthors) public import KeyspanCore

/// The variables of a `.env` file as a store: a layer of a `LayeredStore`, below the environment.
///
/// ```swift
/// let port = Defaults.Key<Int>("server.port", default: 80)
/// let store = try DotEnvStore(path: ".env", prefix: "GREETER_", keys: [port], isOptional: true)
/// print(Defaults(store)[port])
/// ```
///
/// A key has the variable that it has in an `EnvironmentStore` with the same prefix, keys and spelling, so that file and environment
/// are interchangeable. Nothing is added to the environment of the process.
///
/// Variables with the prefix that none of the given keys has are reported with their line, or refused if the store is strict. With
/// an empty prefix these are all other variables of the file. Variables without the prefix are passed over.
///
/// | line | value |
/// | --- | --- |
/// | `NAME=some text` | `some text`: up to the end of the line, without spaces and tabs around it |
/// | `export NAME=text`, `NAME = text` | `text` |
/// | `NAME=text # comment` | `text`; a comment begins with `#` after a space or tab, or at the start of a line |
/// | `NAME=text#1` | `text#1` |
/// | `NAME=` | the empty text |
/// | `NAME='C:\dir $HOME'` | `C:\dir $HOME`: literally, up to the next `'` |
/// | `NAME="a\tb"` | with the escape sequences `\n`, `\r`, `\t`, `\"`, `\\` and `\$` |
/// | `NAME="` or `NAME='`, and further lines | all lines up to the closing quote; CRLF becomes LF |
/// | `NAME=\$5` | `$5`; any other backslash without quotes is literal |
///
/// The file is UTF-8, with or without a byte-order mark. Its lines end with LF or CRLF.
///
/// **Variables are not replaced.** Docker Compose and most libraries read `${HOST}` and `$HOST` as the value of another variable,
/// others literally, and they disagree on the details. So a `$` before a letter, a digit, `_`, `{` or `(` is an error unless it
/// is escaped, or in single quotes, where all of them read it literally.
///
/// **One name on two lines** is an error that names both lines. Everything else that the dialect does not have is an error too,
/// such as a name without `=`, another escape sequence, or text behind a closing quote.
///
/// The values are text, which keys of other types convert. They are read when the store is made and change only with ``reload()``, which
/// throws if a given key cannot use its new value: the key then keeps the value before, and the others take theirs. Writes are refused. The permissions of the file are not examined. Reads answer from memory. Safe to use from any thread.
public final class DotEnvStore: ReadOnlyStore {
    /// The absolute path of the file.
    public let name: String

    package var remedyForWrite: String { "edit the file and reload the store, or write to another layer" }

    private let contents = CommittedTable([:])
    package let activity = ActivityBroadcaster()
    /// The calls of rules and bridges.
    private let examination = Examination()
    private let names: VariableNames
    /// Held while the file is read, so that an older version never replaces a newer one.
    private let reading: Locked<DotEnvReading>
    /// The places of the values in the version that is in effect.
    private let places = Locked(DotEnvReading.Places())

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A relative path starts from the working folder.
    ///   - prefix: The beginning of the variables' names, such as `GREETER_`. With an empty prefix, all variables of the file are
    ///     settings.
    ///   - keys: Keys of the program. The store finds their variables whatever their spelling is.
    ///   - unknownNames: What happens to variables with the prefix that none of the keys has, if keys are given: by default each is
    ///     reported once to `Defaults.onProblem(_:)`, with its line and the nearest key's variable.
    ///   - alsoKnown: Variables with the prefix that the program reads itself, or that are for other programs, by their whole names.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - isOptional: Whether the file may be missing. The store then has no values.
    /// - Throws: ``FileStoreError`` if the file is missing, cannot be read, is not a regular file or is larger than 1 MiB, and, with
    ///   line and column, for what the dialect does not have, or for a variable that no key has if `unknownNames` is strict.
    public convenience init(
        path: String,
        prefix: String = "",
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        isOptional: Bool = false
    ) throws(FileStoreError) {
        try self.init(
            path: path,
            names: VariableNames(prefix: prefix, keys: keys, spelling: spelling),
            checking: keys,
            unknownNames: unknownNames,
            alsoKnown: alsoKnown,
            isOptional: isOptional,
            fileSystem: POSIXFileSystem()
        )
    }

    /// Reads a file of a file system.
    package init(
        path: String,
        names: VariableNames,
        checking keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areIgnored,
        alsoKnown: [String] = [],
        isOptional: Bool = false,
        fileSystem: any FileSystem
    ) throws(FileStoreError) {
        let fileSystem = InterruptRetryingFileSystem(fileSystem)
        let path = try fileSystem.locate(path)
        name = path.text
        self.names = names
        reading = Locked(
            DotEnvReading(
                path: path,
                names: names,
                checking: keys,
                unknownNames: unknownNames,
                alsoKnown: alsoKnown,
                isOptional: isOptional,
                fileSystem: fileSystem
            )
        )
        try readFile()
    }

    /// Reads the file and lets its values take effect.
    @discardableResult
    private func readFile() throws(FileStoreError) -> SourceReading {
        let (unknown, read) = try reading.withLock { (reading) throws(FileStoreError) in
            let version = try reading.readVersion(after: contents.snapshot(), in: examination)
            places.withLock { $0 = version.places }
            let before = contents.revision
            contents.replace(by: version.values, isText: true)
            return (version.unknown, SourceReading(isChange: contents.revision != before, held: version.held))
        }
        Defaults.UnknownName.report(unknown)
        contents.deliver()
        return read
    }

    /// The name of the variable that is read for a key, whether there is such a variable or not.
    ///
    /// - Returns: `nil` if no variable is, as for `EnvironmentStore.variableName(forKey:)`.
    public func variableName(forKey key: String) -> String? {
        names.variable(ofKey: key)
    }

}

// MARK: - Reading keys

@_spi(StoreAuthors) extension DotEnvStore: ProvenanceReporting, CountingStore, ReloadableStore, ActivityBroadcasting {
    package var revisionCells: [RevisionCells]? { contents.revisionCells }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? {
        contents.value(forKey: key).map { StoredValue($0, isText: true) }
    }

    public func snapshot() -> PropertyListTable { contents.snapshot() }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    /// Reads the file now.
    public func reload() throws(StoreError) {
        let wait = try examination.beginWait(for: name)
        do throws(FileStoreError) {
            var held: HeldValues?
            try activity.measureReading { () throws(FileStoreError) in
                defer { wait?.end() }
                let read = try readFile()
                held = read.held
                return (isChange: read.isChange, isComplete: held == nil)
            }
            if let held { throw .refused(path: name, held) }
        } catch {
            activity.note(.rejected)
            activity.deliver()
            throw .notReloaded(error, store: name)
        }
    }

    /// The file with the line of each value, or with the lines of a dictionary's members; from memory.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        let places = places.withLock { $0 }
        return keys.reduce(into: [:]) { found, key in
            guard let variables = places.variables[key] else { return }
            found[key] = Provenance(variables.map { .init(store: name, line: places.lines[$0]) })
        }
    }
}

extension DotEnvStore: OutsideNaming {
    package func outsideForms(ofEntry entry: String, isFlag: Bool) -> [String] {
        variableName(forKey: entry).map { [$0] } ?? []
    }

    package var outsidePlace: String? {
        names.prefix.isEmpty ? nil : "variables \(names.prefix)… in \(name)"
    }
}
