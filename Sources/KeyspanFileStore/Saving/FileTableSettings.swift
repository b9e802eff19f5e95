/// How a table follows its file; two stores share a table only if these are equal.
package struct FileTableSettings: Sendable, Hashable {
    /// The name of the file's format.
    package let format: String
    /// What the user chose.
    package let options: FileStoreOptions

    /// Makes settings.
    package init(format: String, options: FileStoreOptions) {
        self.format = format
        self.options = options
    }
}
