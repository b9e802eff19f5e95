import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The stores of values from outside of the program whose values are in files.
@Suite
struct OutsideStoreConformanceTests {
    enum Kind: CaseIterable {
        case secretFolder
        case variableFiles
        case dotEnv

        /// Makes a store, in a folder with the value `1` of the key `a` or without values.
        func open(in folder: TemporaryFolder, isEmpty: Bool = false) throws -> any PropertyListStore {
            let name = UUID().uuidString
            let path = folder.path(name)
            let key = Defaults.Key<String?>("a")
            switch self {
            case .secretFolder:
                try folder.makeFolder(name)
                if !isEmpty { try folder.overwrite("\(name)/a", "1") }
                return try SecretFolderStore(path: path)
            case .variableFiles:
                if !isEmpty { try folder.overwrite(name, "1\n") }
                let environment = isEmpty ? [:] : ["A_FILE": path]
                return try EnvironmentStore(prefix: "", fileSuffix: "_FILE", keys: [key], environment: environment)
            case .dotEnv:
                if !isEmpty { try folder.overwrite(name, "A=1") }
                return try DotEnvStore(path: path, isOptional: isEmpty)
            }
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The kinds differ in where their values are from, so one of them does at the quick level.
    @Test(arguments: TestLevel.current.pick([Kind.variableFiles], thorough: Kind.allCases), StoreConformance.all)
    func `a store above a writable one keeps the promises of a store`(_ kind: Kind, _ check: StoreConformance)
        async throws
    {
        let folder = folder
        try await check.verify(
            scale: .ofLevel,
            makeStore: {
                LayeredStore([
                    .init("outside", try kind.open(in: folder, isEmpty: true)),
                    .init("memory", InMemoryStore(), isWritable: true),
                ])
            },
            patience: .seconds(60)
        )
    }

    @Test(arguments: Kind.allCases)
    func `its values are read as text and observed`(_ kind: Kind) throws {
        let store = try kind.open(in: folder)
        #expect(store.storedValue(forKey: "a") == StoredValue("1", isText: true))
        #expect(store.storedValue(forKey: "b") == nil)
        #expect(store.snapshot()[stored: "a"] == StoredValue("1", isText: true))
        #expect(store.integer(forKey: "a") == 1)
        #expect(store.revision != nil)
        let changes = Recorder<PropertyListChange>()
        _ = store.observe(.named(["a", "b"]), initial: true) { changes.record($0) }
        _ = store.observe(.all, initial: false) { changes.record($0) }
        #expect(changes.values.map(\.isInitial) == [true])
        #expect(changes.values.first?["a"]?.storedNew == StoredValue("1", isText: true))
    }

    @Test(arguments: Kind.allCases)
    func `it can be read and not written`(_ kind: Kind) async throws {
        let store = try kind.open(in: folder)
        let batch = PropertyListBatch(.set("2", key: "a"))
        let applied = #expect(throws: StoreError.self) { try store.apply(batch) }
        let committed = await #expect(throws: StoreError.self) { try await store.commit(batch) }
        for error in [applied, committed] {
            #expect(error?.code == .readOnly && error?.key == "a" && error?.store == store.name)
        }
        try await store.commit(PropertyListBatch())
        #expect(store.value(forKey: "a") == "1")
    }
}
