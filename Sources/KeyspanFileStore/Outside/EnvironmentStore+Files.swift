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
    /// another given key. An empty one counts as absent. The value is the text of the file without one line end (LF or CRLF) at
    /// its end; a file that is not UTF-8 is data with its bytes. The files are read once, here, and their permissions are not
    /// examined: the variable chooses the file, as a path in the code does. A member of a dictionary cannot be given by a file,
    /// unless the member has a key of its own.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the variables' names, such as `GREETER_`.
    ///   - fileSuffix: The end of the names of those variables that name files, usually `_FILE`.
    ///   - keys: Keys of the program. The store finds their variables whatever their spelling is.
    ///   - spelling: How the program spells the names of its other keys.
    ///   - environment: The variables; those of the process if `nil`.
    ///   - name: The name of the store in errors and diagnostics.
    /// - Throws: ``VariableFileError`` if a file is missing, cannot be read, is not a regular file or is larger than 1 MiB, and if
    ///   both variables of a key are set.
    public convenience init(
        prefix: String,
        fileSuffix: String,
        keys: [Defaults.AnyKey],
        spelling: KeySpelling = .camelCase,
        environment: [String: String]? = nil,
        name: String = "environment"
    ) throws(VariableFileError) {
        try self.init(
            names: VariableNames(prefix: prefix, keys: keys, spelling: spelling),
            fileSuffix: fileSuffix,
            environment: OutsideText.variables(environment),
            name: name,
            fileSystem: POSIXFileSystem()
        )
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
        self.init(names: names, environment: environment, origins: origins, name: name)
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
                reason: "cannot \(error.step.rawValue) \(error.path.debugDescription): \(error.reason)",
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

/// The failure to read the value of a key from the file that an environment variable names: which variable, why, and what to do
/// about it.
///
/// The texts never contain the value of a key.
public struct VariableFileError: Error, Sendable {
    /// The name of the variable that names the file.
    public let variable: String
    /// The problem, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String
    /// Why the file cannot be read; `nil` if it was not read, because both variables of a key are set.
    public let underlying: FileStoreError?
}

extension VariableFileError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String { "environment variable \(variable): \(reason); \(remedy)." }
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
}
