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
/// The values are text, which keys of other types convert. They are read when the store is made and never change; writes are
/// refused. The permissions of the file are not examined. Safe to use from any thread, without a lock.
public final class DotEnvStore: ConstantStore {
    /// The absolute path of the file.
    public let name: String

    package let contents: ConstantTable
    package var remedyForWrite: String { "edit the file before the program starts, or write to another layer" }

    private let names: VariableNames
    /// The variables that gave each key its value.
    private let variables: TextDictionary<[String]>
    /// The line of each variable.
    private let lines: TextDictionary<Int>

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
        unknownNames: Defaults.UnknownNames = .areIgnored,
        alsoKnown: [String] = [],
        isOptional: Bool = false,
        fileSystem: any FileSystem
    ) throws(FileStoreError) {
        let fileSystem = InterruptRetryingFileSystem(fileSystem)
        let path = try fileSystem.locate(path)
        let file = try fileSystem.readFile(path, atMost: RegularFile.maximumSettingsSize)
        if file == nil, !isOptional { throw .missing(path.text) }
        let definitions: [DotEnvText.Definition]
        do {
            definitions = try DotEnvText.parse(file?.bytes ?? [])
        } catch {
            throw FileStoreError(path: path.text, error)
        }
        do {
            try unknownNames.apply {
                let lines = TextDictionary(definitions.map { (key: $0.name, value: $0.line) })
                return names.unknown(among: definitions.map(\.name), alsoKnown: alsoKnown) {
                    Provenance([.init(store: path.text, line: lines[$0])])
                }
            }
        } catch {
            throw .unknownNames(error.names, path: path.text)
        }
        let given = names.values(of: definitions.map { (key: $0.name, value: OutsideText($0.value)) })
        name = path.text
        contents = ConstantTable(given.values.markedAsText)
        self.names = names
        variables = given.names
        lines = TextDictionary(definitions.map { (key: $0.name, value: $0.line) })
    }

    /// The name of the variable that is read for a key, whether there is such a variable or not.
    ///
    /// - Returns: `nil` if no variable is, as for `EnvironmentStore.variableName(forKey:)`.
    public func variableName(forKey key: String) -> String? {
        names.variable(ofKey: key)
    }

    /// The file with the line of each value, or with the lines of a dictionary's members; from memory.
    @_spi(StoreAuthors) public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance>
    {
        keys.reduce(into: [:]) { found, key in
            guard let variables = variables[key] else { return }
            found[key] = Provenance(variables.map { .init(store: name, line: lines[$0]) })
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
