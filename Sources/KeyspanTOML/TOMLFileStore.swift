@_spi(StoreAuthors) public import KeyspanCore
@_spi(StoreAuthors) public import KeyspanFileStore

/// A TOML file as a store that reads and follows it: a layer of a `LayeredStore`.
///
/// Names lead into tables, as in a `JSONFileStore`: `tls.port` is in `[tls]` with `port = 443`, in `tls.port = 443`, in
/// `tls = {port = 443}` and in `"tls.port" = 443`. A table under the name of a key is its value. Snapshots have the keys that the store
/// is opened with, and otherwise the members at the top level.
///
/// **Values** are those of TOML 1.0:
///
/// | TOML | value |
/// | --- | --- |
/// | `true`, `false` | a boolean |
/// | `17`, `-5`, `1_000`, `0xF`, `0o17`, `0b11` | an integer from -2^63 to 2^63-1 |
/// | `1.5`, `1e3`, `inf`, `nan` | a real whose digits a `Double` keeps |
/// | `"a\tb"`, `'C:\dir'`, and both in three quotes | a text without NUL characters |
/// | `2026-11-21T10:50:00Z`, `2026-11-21 11:50:00+01:00` | a date |
/// | `2026-11-21T10:50:00`, `2026-11-21`, `10:50:00` | a text, because it is not a point in time |
/// | `[1, 2]`, `[[servers]]` | an array |
/// | `{"$date" = …}`, `{"$data" = …}`, `{"$real" = …}`, `{"$dictionary" = …}` | as in JSON |
///
/// **Refused**, with line and column: what is not TOML, a name twice in one table, nesting beyond `PropertyListValue.maximumNesting`, and
/// files of more than 1 MiB. An empty text has no values.
///
/// **The file is followed.** A version that cannot be read, parsed or accepted is rejected, and the values before it stay in force; a
/// `storeNotice` of the kind `unreadable` says why, once it has been so for some seconds. Replace the file by a rename: a program that
/// writes in place may be read when it has written half of its text. A file that does not exist has no values, and one that becomes
/// empty keeps those from before. If a key is there twice, nested and with dots, a notice names both lines. A key that the store is given and
/// that cannot use its new value keeps the value before, and the others take theirs; a `storeNotice` of the kind `valuesHeldBack` names the line.
///
/// Provenance names the line of each value. Reads answer from memory, and writes are refused. Safe to use from any thread.
public final class TOMLFileStore: FollowedFileStore {
    /// The absolute path of the file.
    public let name: String

    package let file: FollowedFile

    /// Reads a file, and follows its changes.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which need not exist. A relative path is made absolute now.
    ///   - keys: The keys of the program, which the file may nest.
    ///   - unknownNames: What happens to names in the file that none of the keys has, if keys are given: by default each is reported
    ///     once to `Defaults.onProblem(_:)`, with its line and the nearest key.
    ///   - duplicates: Which value counts if a key is there twice, nested and with dots.
    ///   - isWatching: Whether the store follows the file. Otherwise its values change only with `reload()`.
    ///   - validate: Examines the whole contents of each version, and throws to reject it. Called on any thread; it must not
    ///     reload this store.
    /// - Throws: `FileStoreError` if the file cannot be read or parsed, has unknown names and the store is strict, or is rejected by
    ///   `validate`.
    public convenience init(
        path: String,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        duplicates: FileStoreOptions.Nesting.Duplicates = .dottedCounts,
        isWatching: Bool = true,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws(FileStoreError) {
        var seams = FileStoreSeams.ofProcess()
        if !isWatching { seams.watcher = nil }
        try self.init(
            path: path,
            keys: keys,
            unknownNames: unknownNames,
            duplicates: duplicates,
            validate: validate,
            seams: seams
        )
    }

    /// Reads a file through the seams that tests replace.
    package init(
        path: String,
        keys: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        duplicates: FileStoreOptions.Nesting.Duplicates = .dottedCounts,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        file = try FollowedFile(
            path: path,
            format: TOMLText(),
            keys: keys,
            unknownNames: unknownNames,
            duplicates: duplicates,
            validate: validate,
            seams: seams
        )
        name = file.path
    }
}
