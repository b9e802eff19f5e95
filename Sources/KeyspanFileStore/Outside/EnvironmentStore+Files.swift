public import KeyspanCore

extension EnvironmentStore {
    /// Makes a store of environment variables of which some name the file that has the value, as the images of databases
    /// have them: `GREETER_PASSWORD_FILE=/run/secrets/password` gives `password` the contents of that file.
    ///
    /// ```swift
    /// let password = Defaults.Key<String?>("password").secret()
    /// let store = try EnvironmentStore(prefix: "GREETER_", fileSuffix: "_FILE", keys: [password])
    /// ```
    ///
    /// A variable names a file only if it is the variable of one of the given keys with the suffix behind it, and not that of
    /// another given key. An empty one counts as absent. The value is the text of the file without a byte-order mark and one line end (LF or CRLF) at
    /// its end; a file that is not UTF-8 is data with its bytes. The files are read once, here, and their permissions are not
    /// examined: the variable chooses the file, as a path in the code does. A member of a dictionary cannot be given by a file,
    /// unless the member has a key of its own.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the variables' names, such as `GREETER_`.
    ///   - fileSuffix: The end of the names of those variables that name files, usually `_FILE`.
    ///   - keys: Keys of the program. The store finds their variables whatever their spelling is.
    ///   - unknownNames: What happens to variables with the prefix that none of the keys has, with the suffix or without, if keys
    ///     are given and the prefix is not empty: by default each is reported once to `Defaults.onProblem(_:)`, with the nearest
    ///     key's variable.
    ///   - alsoKnown: Variables with the prefix that the program reads itself, by their whole names.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - environment: The variables; those of the process if `nil`.
    ///   - name: The name of the store in errors and diagnostics.
    /// - Throws: ``VariableFileError`` if a file is missing, cannot be read, is not a regular file or is larger than 1 MiB, if
    ///   both variables of a key are set, and for a variable that no key has if `unknownNames` is strict.
    public convenience init(
        prefix: String,
        fileSuffix: String,
        keys: [Defaults.AnyKey],
        unknownNames: Defaults.UnknownNames = .areReported,
        alsoKnown: [String] = [],
        spelling: KeySpelling = .camelCase,
        environment: [String: String]? = nil,
        name: String = "environment"
    ) throws(VariableFileError) {
        let variables = OutsideText.variables(environment)
        try self.init(
            names: VariableNames(prefix: prefix, keys: keys, spelling: spelling),
            fileSuffix: fileSuffix,
            environment: variables,
            name: name,
            fileSystem: POSIXFileSystem()
        )
        do {
            try unknownNames.apply { self.unknownNames(among: variables, alsoKnown: alsoKnown) }
        } catch {
            throw .unknownNames(error)
        }
    }

    /// Makes a store of variables as the system passes them, with the files of a file system.
    package convenience init(
        names: VariableNames,
        fileSuffix: String,
        environment: TextDictionary<OutsideText>,
        name: String = "environment",
        fileSystem: any FileSystem
    ) throws(VariableFileError) {
        let fileSystem = InterruptRetryingFileSystem(fileSystem)
        var environment = environment
        var origins: TextDictionary<String> = [:]
        for variable in names.known {
            let fileVariable = variable + fileSuffix
            guard !names.isKnown(fileVariable), let path = environment[fileVariable] else { continue }
            // Otherwise the path would be the value of a key.
            environment[fileVariable] = nil
            if path.bytes.isEmpty { continue }
            if environment[variable] != nil { throw .bothSet(variable, fileVariable) }
            let file = try fileSystem.readFile(at: path, of: fileVariable)
            environment[variable] = file.setting
            origins[variable] = "\(fileVariable) (\(path.repaired))"
        }
        self.init(
            names: names,
            environment: environment,
            origins: origins,
            fileSuffix: fileSuffix,
            name: name
        )
    }
}

extension FileSystem {
    /// Reads the file that a variable names.
    fileprivate func readFile(at path: OutsideText, of variable: String) throws(VariableFileError) -> RegularFile {
        do throws(FileStoreError) {
            guard let text = path.text else { throw .invalidPath("\(path)", reason: "the path is not UTF-8") }
            let path = try locate(text)
            if let file = try readFile(path, atMost: RegularFile.maximumSettingsSize) { return file }
            throw .missing(path.text)
        } catch {
            throw VariableFileError(
                variable: variable,
                reason: "cannot \(error.step.rawValue) \(error.path.quoted): \(error.reason)",
                remedy: error.remedy,
                underlying: error
            )
        }
    }
}

extension FileStoreError {
    /// A file of settings that must be there is not.
    static func missing(_ path: String) -> FileStoreError {
        FileStoreError(
            step: .open,
            path: path,
            reason: "it does not exist",
            remedy: "create or mount it, or correct the path",
            underlying: nil
        )
    }
}

/// The failure to read the value of a key from an environment variable or from the file that it names: which variable, why, and
/// what to do about it.
///
/// The texts never contain the value of a key.
public struct VariableFileError: Error, Sendable {
    /// The name of the variable; the first one of several.
    public let variable: String
    /// The problem, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String
    /// Why the file cannot be read; `nil` if it was not read, because both variables of a key are set or no key has one.
    public let underlying: FileStoreError?
    /// The variables that no key has, if they are the problem.
    public let unknownNames: Defaults.UnknownNamesError?

    init(
        variable: String,
        reason: String,
        remedy: String,
        underlying: FileStoreError?,
        unknownNames: Defaults.UnknownNamesError? = nil
    ) {
        self.variable = variable
        self.reason = reason
        self.remedy = remedy
        self.underlying = underlying
        self.unknownNames = unknownNames
    }
}

extension VariableFileError: CustomStringConvertible {
    /// The error in one sentence, or a line for each variable that no key has.
    public var description: String {
        unknownNames?.description ?? "environment variable \(variable): \(reason); \(remedy)."
    }
}

extension VariableFileError {
    fileprivate static func bothSet(_ variable: String, _ fileVariable: String) -> VariableFileError {
        VariableFileError(
            variable: fileVariable,
            reason: "both \(variable) and \(fileVariable) are set",
            remedy: "set only one of them",
            underlying: nil
        )
    }
    fileprivate static func unknownNames(_ error: Defaults.UnknownNamesError) -> VariableFileError {
        VariableFileError(
            variable: error.names.first?.name ?? "",
            reason: error.names.map(\.clause).joined(separator: "; "),
            remedy: "correct the names, declare keys for them, or name them in `alsoKnown`",
            underlying: nil,
            unknownNames: error
        )
    }
}
