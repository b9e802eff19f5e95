import Keyspan

/// A kind of store that benchmarks are run on.
enum StoreKind {
    case memory
    case file(TemporaryFolder)

    /// Its name, for the table.
    var name: String {
        switch self {
        case .memory: "InMemoryStore"
        case .file: "JSONFileStore"
        }
    }

    /// Makes a store with that many keys.
    ///
    /// A file is not saved while a benchmark runs: saves in the background are measured by ``SavingBenchmarks``.
    func makeStore(keys: Int) throws -> any PropertyListStore {
        switch self {
        case .memory:
            return InMemoryStore(PropertyListTable(Contents.values(count: keys)))
        case .file(let folder):
            let store = try JSONFileStore(path: try folder.newFile(), options: .init(saveDelay: .seconds(3_600)))
            try store.apply(Contents.batch(count: keys))
            return store
        }
    }
}
