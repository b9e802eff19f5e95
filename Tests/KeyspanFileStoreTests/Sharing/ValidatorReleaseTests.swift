import KeyspanCore
import KeyspanFileStore
import Testing

@Suite("A validator that is released")
struct ValidatorReleaseTests {
    /// Holds a store, as the object of a program that validates may.
    private final class Holder: Sendable {
        let store: JSONFileStore

        init(_ store: JSONFileStore) {
            self.store = store
        }
    }

    private let folder: TemporaryFolder
    private let tables = OpenEngines()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ validate: @escaping @Sendable (PropertyListTable) throws -> Void) throws -> JSONFileStore {
        try JSONFileStore(
            path: folder.path("file.json"),
            validate: validate,
            seams: FileStoreSeams(fileSystem: POSIXFileSystem(), queue: ManualWorkQueue(), openEngines: tables)
        )
    }

    /// A store whose validator holds the last reference to another store of the same file.
    private func openChain() throws -> (store: JSONFileStore, last: Weak) {
        let holder = Holder(try open { _ in })
        let last = Weak(reference: holder.store)
        return (try open { _ in withExtendedLifetime(holder) {} }, last)
    }

    private struct Weak {
        weak var reference: JSONFileStore?
    }

    @Test func `may hold the last reference to another store of the same file`() throws {
        var chain: (store: JSONFileStore, last: Weak)? = try openChain()
        let last = try #require(chain?.last)
        try chain?.store.set("new")
        #expect(last.reference != nil)
        chain = nil
        #expect(last.reference == nil)
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }
}
