@_spi(StoreAuthors) internal import KeyspanFileStore

extension Defaults.SettingsDescription {
    /// The keys as the text of a JSON Schema (draft 2020-12), with a line feed at the end.
    ///
    /// It describes the file of a `JSONFileStore`, for editors and for checks before a file is deployed.
    public var jsonSchema: String {
        let table = PropertyListTable(schema.dictionaryValue ?? [:])
        return String(decoding: JSONText.encode(table), as: UTF8.self)
    }
}
