#if YAML
@_spi(StoreAuthors) public import KeyspanCore
@_spi(StoreAuthors) public import KeyspanFileStore

/// A YAML file as a store that reads and follows it: a layer of a `LayeredStore`.
///
/// The store exists with the package trait `YAML`. Names lead into nested mappings, as in a `JSONFileStore`: `tls.port` is in
/// `tls: {port: 443}` and in `tls.port: 443`. A mapping under the name of a key is its value. Snapshots have the keys that the store is
/// opened with, and otherwise the members at the top level.
///
/// **Values** are those of the core schema of YAML 1.2, so `no` and `1:30` are texts:
///
/// | YAML | value |
/// | --- | --- |
/// | `true`, `True`, `TRUE`, `false`, … | a boolean |
/// | `17`, `-5`, `0o17`, `0xF`, and `017`, which is 17 | an integer from -2^63 to 2^64-1 |
/// | `1.5`, `.5`, `1e3`, `.inf`, `.nan` | a real whose digits a `Double` keeps |
/// | `null`, `~`, nothing | the member is absent; an error in a sequence |
/// | any other plain scalar, such as `no` or `2026-11-21T10:50:00Z` | a text, which a `Date` key reads as RFC 3339 |
/// | `"a\tb"`, `'it''s'`, `\|` and `>` blocks | a text |
/// | `!!binary aGk=`, `!!timestamp 2026-11-21T10:50:00Z` | data, a date |
/// | `!!str 17`, `!!int "17"`, … | the scalar by its tag |
/// | `{$date: …}`, `{$data: …}`, `{$real: …}`, `{$dictionary: …}` | as in JSON |
/// | `*name` | the value that `&name` names, which is before it |
///
/// **Refused**, with line and column: a name twice in one mapping, names that are not texts (`8080: web` needs quotes), merge keys
/// (`<<`), which YAML 1.2 does not have, the line ends of YAML 1.1 (U+0085, U+2028, U+2029) outside of escapes, other tags, a second document, an alias of the node that it is in, aliases that stand for more
/// than 4 MiB, nesting beyond `PropertyListValue.maximumNesting`, and files of more than 1 MiB. So is what the parser reads in another way
/// than YAML 1.2: texts in brackets that begin with `?` or `:`, names of anchors with other characters than letters, digits, `-` and `_`, comments
/// without a space before them, and lines in brackets or quotes that are not indented by more than the name around them. A text of comments alone has no values.
///
/// **The file is followed.** A version that cannot be read, parsed or accepted is rejected, and the values before it stay in force; a
/// `storeNotice` of the kind `unreadable` says why, once it has been so for some seconds. Replace the file by a rename: a program that
/// writes in place may be read when it has written half of its text. A file that does not exist has no values, and one that becomes
/// empty keeps those from before. If a key is there twice, nested and with dots, a notice names both lines. A key that the store is given and
/// that cannot use its new value keeps the value before, and the others take theirs; a `storeNotice` of the kind `valuesHeldBack` names the line.
///
/// Provenance names the line of each value. Reads answer from memory, and writes are refused. Safe to use from any thread.
public final class YAMLFileStore: FollowedFileStore {
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
            format: YAMLText(),
            keys: keys,
            unknownNames: unknownNames,
            duplicates: duplicates,
            validate: validate,
            seams: seams
        )
        name = file.path
    }
}
#endif
