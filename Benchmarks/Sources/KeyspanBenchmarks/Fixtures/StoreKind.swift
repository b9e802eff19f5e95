import Keyspan

/// A kind of store that benchmarks are run on.
enum StoreKind {
    case memory
    case layered
    case file(TemporaryFolder)
    /// A file whose batches are not compared with what other processes write.
    case fileOfOneProcess(TemporaryFolder)

    /// Its name, for the table.
    var name: String {
        switch self {
        case .memory: "InMemoryStore"
        case .layered: "LayeredStore"
        case .file: "JSONFileStore"
        case .fileOfOneProcess: "JSONFileStore within one process"
        }
    }

    /// Makes a store with that many keys.
    ///
    /// A file is not saved while a benchmark runs: saves in the background are measured by ``SavingBenchmarks``.
    func makeStore(keys: Int) throws -> any PropertyListStore {
        switch self {
        case .memory:
            return InMemoryStore(PropertyListTable(Contents.values(count: keys)))
        case .layered:
            // As a program's standard store might be: its values, and registered defaults below.
            let memory = InMemoryStore(PropertyListTable(Contents.values(count: keys)))
            let registered = RegistrationDomain()
            try registered.register(PropertyListTable(Contents.values(count: keys)))
            return LayeredStore([.init("memory", memory, isWritable: true), .init("registered", registered)])
        case .file(let folder), .fileOfOneProcess(let folder):
            var options = FileStoreOptions.notInBackground
            if case .fileOfOneProcess = self { options.expectations = .withinProcess }
            let store = try JSONFileStore(path: try folder.newFile(), options: options)
            try store.apply(Contents.batch(count: keys))
            // Unsaved changes are in memory twice, which is the exception.
            try store.synchronize()
            return store
        }
    }
}
