@_spi(StoreAuthors) internal import KeyspanCore

/// How a `.env` file is read, and what was reported of it.
struct DotEnvReading: Sendable {
    /// The places of values.
    struct Places: Sendable {
        /// The variables that gave each key its value.
        var variables: TextDictionary<[String]> = [:]
        /// The line of each variable.
        var lines: TextDictionary<Int> = [:]
    }

    /// A version that takes effect.
    struct Version {
        let values: PropertyListTable
        /// The values that are held back, because their keys cannot use them.
        let held: HeldValues?
        let places: Places
        /// The variables that no key has and that were not reported before, if the store reports them.
        let unknown: [Defaults.UnknownName]
    }

    private let path: AbsolutePath
    private let names: VariableNames
    private let unknownNames: Defaults.UnknownNames
    private let alsoKnown: [String]
    private let isOptional: Bool
    private let fileSystem: any FileSystem
    private let check: UnusableValueCheck?
    private var isOpen = false
    private var reportedNames: Set<UTF8Text> = []

    init(
        path: AbsolutePath,
        names: VariableNames,
        checking keys: [Defaults.AnyKey],
        unknownNames: Defaults.UnknownNames,
        alsoKnown: [String],
        isOptional: Bool,
        fileSystem: any FileSystem
    ) {
        self.path = path
        self.names = names
        self.unknownNames = unknownNames
        self.alsoKnown = alsoKnown
        self.isOptional = isOptional
        self.fileSystem = fileSystem
        check = UnusableValueCheck(of: keys, path: path.text)
    }

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - before: The values in effect.
    ///   - examination: The calls of the program's code.
    /// - Throws: ``FileStoreError`` if the values from before stay.
    mutating func readVersion(
        after before: PropertyListTable,
        in examination: Examination
    ) throws(FileStoreError) -> Version {
        let file = try fileSystem.readFile(path, atMost: RegularFile.maximumSettingsSize)
        if file == nil, !isOptional { throw .missing(path.text) }
        let definitions: [DotEnvText.Definition]
        do {
            definitions = try DotEnvText.parse(file?.bytes ?? [])
        } catch {
            throw FileStoreError(path: path.text, error)
        }
        let lines = TextDictionary(definitions.map { (key: $0.name, value: $0.line) })
        let unknown = unknownVariables(of: definitions, at: lines)
        if unknownNames == .strict, !unknown.isEmpty { throw .unknownNames(unknown, path: path.text) }
        let given = names.values(of: definitions.map { (key: $0.name, value: OutsideText($0.value)) })
        var values = given.values.markedAsText
        // A file that is opened has no values before.
        let variables = given.names
        var held: HeldValues?
        if isOpen {
            held = check?.holdBack(from: &values, after: before, in: examination) { entries in
                TextDictionary(
                    entries.compactMap { entry in variables[entry]?.first.flatMap { lines[$0] }.map { (entry, $0) } }
                )
            }
        }
        isOpen = true
        return Version(
            values: values,
            held: held,
            places: Places(variables: variables, lines: lines),
            unknown: unknown.filter { reportedNames.insert(UTF8Text($0.name)).inserted }
        )
    }

    private func unknownVariables(
        of definitions: [DotEnvText.Definition],
        at lines: TextDictionary<Int>
    ) -> [Defaults.UnknownName] {
        if unknownNames == .areIgnored { return [] }
        return names.unknown(among: definitions.map(\.name), alsoKnown: alsoKnown) {
            Provenance([.init(store: path.text, line: lines[$0])])
        }
    }
}

extension FileStoreError {
    fileprivate init(path: String, _ error: DotEnvTextError) {
        self.init(
            step: .parse,
            path: path,
            reason: "\(error.reason) (line \(error.line), column \(error.column))",
            remedy: error.remedy,
            underlying: error
        )
    }
}
