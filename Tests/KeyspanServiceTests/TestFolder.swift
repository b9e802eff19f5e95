import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport

/// A folder with one file of settings.
extension TemporaryFolder {
    var file: String { path("settings.json") }

    /// Replaces the file in one step.
    func replaceFile(_ text: String) throws { try replace("settings.json", text) }

    func text() throws -> String { try text(of: "settings.json") }

    /// Opens a store of the file without a watcher, which saves only when it is asked.
    func open(
        fileSystem: any FileSystem = POSIXFileSystem(),
        in openEngines: OpenEngines = OpenEngines(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws -> JSONFileStore {
        try JSONFileStore(
            path: file,
            options: FileStoreOptions(durability: .onSynchronize, journal: .none),
            validate: validate,
            seams: FileStoreSeams(fileSystem: fileSystem, openEngines: openEngines)
        )
    }
}
