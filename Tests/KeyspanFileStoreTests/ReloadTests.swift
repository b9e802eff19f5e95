@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Reading a source again because a program asks for it; no test lets time pass or tells a watcher.
@Suite struct ReloadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Refusal: Error {}

    private func reload(_ store: any PropertyListStore) throws {
        try #require(store as? any ReloadableStore).reload()
    }

    @Test(arguments: StoreFormat.allCases)
    func `a reload brings in what another program wrote, to readers and observers`(_ format: StoreFormat) async throws {
        try folder.write(format.bytes(["a": 1, "b": 1]), to: "file")
        let process = try ProcessDouble(path: folder.path("file"), format: format)
        try process.set(["own": 1])
        let changes = Recorder<[String]>()
        let observation = process.store.observe(.all, initial: false) { change in
            changes.record(change.entries.map { "\($0.key) = \($0.new.map { "\($0)" } ?? "nil")" })
        }
        try folder.write(format.bytes(["a": 2, "b": 1]), to: "file")
        #expect(process["a"] == 1)
        try reload(process.store)
        #expect(process.store.snapshot() == ["a": 2, "b": 1, "own": 1])
        try reload(process.store)
        try folder.write(format.bytes(["a": 3, "b": 1]), to: "file")
        try reload(process.store)
        // Threads of their own call the observers. A reload that finds no change calls none of them.
        try await eventually("the observer receives both changes", changes.values, is: [["a = 2"], ["a = 3"]])
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: StoreFormat.allCases)
    func `a damaged file is thrown by each reload, reported by none, and the values before stay`(
        _ format: StoreFormat
    ) throws {
        try folder.write(format.bytes(["a": 1]), to: "file")
        let process = try ProcessDouble(path: folder.path("file"), format: format)
        try folder.write(Array("{\"a\": 2".utf8), to: "file")
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try reload(process.store) }
            #expect(error?.code == .notReloaded && error?.store == folder.path("file"))
            #expect((error?.underlying as? FileStoreError)?.step == .parse)
        }
        process.passTime()
        #expect(process["a"] == 1 && process.notices.isEmpty && process.failures.isEmpty)
        try folder.write(format.bytes(["a": 3]), to: "file")
        try reload(process.store)
        #expect(process["a"] == 3)
    }

    @Test func `a version that the validation rejects is thrown and not reported`() throws {
        try folder.write(StoreFormat.json.bytes(["port": 1]), to: "file")
        let process = try ProcessDouble(path: folder.path("file")) { table in
            if table["port"] == 2 { throw Refusal() }
        }
        try folder.write(StoreFormat.json.bytes(["port": 2, "other": 2]), to: "file")
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try reload(process.store) }
            #expect(error?.code == .notReloaded)
            #expect((error?.underlying as? FileStoreError)?.underlying is Refusal)
        }
        process.look()
        #expect(process.store.snapshot() == ["port": 1] && process.notices.isEmpty)
        try folder.write(StoreFormat.json.bytes(["port": 3]), to: "file")
        try reload(process.store)
        #expect(process["port"] == 3)
    }

    @Test func `values that keys cannot use are thrown, and the others take effect`() throws {
        try folder.write(StoreFormat.json.bytes(["port": 1, "motto": "a"]), to: "file")
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<Int>("port", default: 0), Defaults.Key<String>("motto", default: ""),
        ]
        let store = try JSONFileStore(
            path: folder.path("file"),
            keys: keys,
            seams: FileStoreSeams(fileSystem: POSIXFileSystem(), openEngines: OpenEngines())
        )
        try folder.write(StoreFormat.json.bytes(["port": "many", "motto": "b"]), to: "file")
        let error = #expect(throws: StoreError.self) { try reload(store) }
        #expect(error?.code == .notReloaded && error?.description.contains("port") == true)
        #expect(store.snapshot() == ["port": 1, "motto": "b"])
    }

    @Test func `a validation may not reload its store`() throws {
        try folder.write(StoreFormat.json.bytes(["a": 1]), to: "file")
        let opened = Locked<(any PropertyListStore)?>(nil)
        let errors = Recorder<StoreError?>()
        let process = try ProcessDouble(path: folder.path("file")) { [self] _ in
            guard let store = opened.withLock({ $0 }) else { return }
            let error = #expect(throws: StoreError.self) { try reload(store) }
            errors.record(error)
        }
        opened.withLock { $0 = process.store }
        try folder.write(StoreFormat.json.bytes(["a": 2]), to: "file")
        try reload(process.store)
        #expect(errors.values.map { $0?.code } == [.validating])
        opened.withLock { $0 = nil }
    }

    @Test func `a disk that fails is thrown, and the next reload reads again`() throws {
        try folder.write(StoreFormat.json.bytes(["a": 1]), to: "file")
        let fileSystem = FaultyFileSystem()
        let process = try ProcessDouble(path: folder.path("file"), fileSystem: fileSystem)
        try folder.write(StoreFormat.json.bytes(["a": 2]), to: "file")
        fileSystem.inject(.refusal(.open, errno: 5))
        let error = #expect(throws: StoreError.self) { try reload(process.store) }
        #expect((error?.underlying as? FileStoreError)?.errorNumber == 5)
        fileSystem.inject(.none)
        try reload(process.store)
        #expect(process["a"] == 2)
    }

    @Test func `a folder of secrets is read at once, and a refused version is thrown`() throws {
        try folder.makeFolder("secrets")
        try folder.write(Array("one".utf8), to: "secrets/token")
        let double = try SecretFolderDouble(path: folder.path("secrets"))
        try folder.write(Array("two".utf8), to: "secrets/token")
        try double.store.reload()
        #expect(double.store.value(forKey: "token") == "two")
        try folder.write(Array("three".utf8), to: "secrets/token", permissions: 0o666)
        let error = #expect(throws: StoreError.self) { try reload(double.store) }
        #expect(error?.code == .notReloaded && error?.description.contains("three") == false)
        #expect(double.store.value(forKey: "token") == "two" && double.notices.isEmpty)
    }

    @Test func `the variables of a file are read again with their lines, and each unknown one is reported once`() throws
    {
        try folder.overwrite(".env", "PORT=1\nPROT=1\n")
        let keys = [Defaults.Key<Int>("port", default: 0)]
        let problems = Recorder<String>()
        try Defaults.withProblemHandler { problem in
            problems.record(problem.fields["name"] ?? "")
        } operation: {
            let store = try DotEnvStore(path: folder.path(".env"), keys: keys)
            let port = Defaults.Key<Int>("port", default: 0)
            #expect(Defaults(store)[port] == 1)
            try folder.overwrite(".env", "# moved\nPORT=2\nPROT=1\nPOTR=1\n")
            #expect(Defaults(store)[port] == 1)
            try store.reload()
            #expect(Defaults(store)[port] == 2)
            #expect(store.provenance(forKeys: ["port"], findingLines: true)["port"]?.sources.first?.line == 2)
            try folder.overwrite(".env", "PORT='3")
            let error = #expect(throws: StoreError.self) { try reload(store) }
            #expect(error?.code == .notReloaded)
            #expect((error?.underlying as? FileStoreError)?.position?.line == 1)
            #expect(Defaults(store)[port] == 2)
        }
        #expect(problems.values == ["PROT", "POTR"])
    }

    @Test func `a strict store of variables keeps its values when a reload finds an unknown one`() throws {
        try folder.overwrite(".env", "PORT=1\n")
        let keys = [Defaults.Key<Int>("port", default: 0)]
        let store = try DotEnvStore(path: folder.path(".env"), keys: keys, unknownNames: .strict)
        try folder.overwrite(".env", "PORT=2\nPROT=1\n")
        #expect(throws: StoreError.self) { try reload(store) }
        #expect(store.value(forKey: "port") == "1")
    }
}
