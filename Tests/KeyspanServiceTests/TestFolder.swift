import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A folder of its own for one test, with one file of settings, removed when this object goes away.
final class TestFolder: Sendable {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    var file: String { folder.path("settings.json") }

    /// Replaces the file in one step.
    func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
    }

    func text() throws -> String {
        try String(contentsOf: URL(filePath: file), encoding: .utf8)
    }

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
