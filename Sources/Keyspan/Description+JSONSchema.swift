@_spi(StoreAuthors) internal import KeyspanFileStore

extension Defaults.SettingsDescription {
    /// The keys as the text of a JSON Schema (draft 2020-12), with a line feed at the end.
    ///
    /// It describes the file of a `JSONFileStore` that is opened with the same keys, for editors and for checks before a file is
    /// deployed. A key with dots in its name has all places in which the store finds it: nested in objects, dotted, or both. No
    /// property is required. Other names are errors, as they are for the store, which reports them by default; use
    /// ``jsonSchema(unknownNames:)`` for a file that has other entries as well. The member `$schema` and the entries of the library
    /// itself are allowed.
    ///
    /// The store reads a member that is `null` as absent, and the schema does not list that form. For JSON Schema `1.0` is an
    /// integer, for a key it is not. A rule is omitted where JSON Schema cannot express it for the stored form.
    public var jsonSchema: String { jsonSchema(unknownNames: .areReported) }

    /// The keys as the text of a JSON Schema (draft 2020-12), as ``jsonSchema``, with a line feed at the end.
    ///
    /// - Parameter unknownNames: The treatment of other names by the store that reads the file. Unless they are ignored, they do not
    ///   satisfy the schema: an editor marks what the store would report or refuse.
    public func jsonSchema(unknownNames: Defaults.UnknownNames) -> String {
        let schema = FileSchema(of: entrySchemas, allowsOthers: unknownNames == .areIgnored)
        return String(decoding: JSONText.encode(PropertyListTable(schema.document)), as: UTF8.self)
    }
}
