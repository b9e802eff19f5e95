import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Secrets that are replaced while a store has them.
@Suite(.bounded)
struct SecretRotationTests {
    private static let first = ["user": "anna", "password": "one"]
    private static let second = ["user": "berta", "password": "two"]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.publish("1", Self.first)
    }

    private var path: String { folder.path("secrets") }

    private func table(_ values: [String: String]) -> PropertyListTable {
        PropertyListTable(values.mapValues { .string($0) })
    }

    @Test func `a swap of the version is one change, with added and removed keys`() async throws {
        let double = try SecretFolderDouble(path: path)
        #expect(double.store.snapshot() == table(Self.first))
        let changes = Recorder<PropertyListChange>()
        let observation = double.store.observe(.all, initial: false) { changes.record($0) }
        let revision = double.store.revision
        try folder.publish("2", ["user": "anna", "password": "two", "token": "new"])
        double.look()
        try await eventually("the observer receives the second version", changes.count, is: 1)
        let change = try #require(changes.last)
        #expect(Set(change.entries.map(\.key)) == ["password", "token"])
        #expect(change["password"]?.storedOld == StoredValue("one", isText: true))
        #expect(change["password"]?.storedNew == StoredValue("two", isText: true))
        #expect(double.store.revision != revision)
        try folder.publish("3", ["user": "anna"])
        double.look()
        try await eventually("the observer receives the third version", changes.count, is: 2)
        #expect(double.store.snapshot() == ["user": "anna"])
        #expect(double.store.provenance(forKey: "password") == nil)
        observation.cancel()
    }

    @Test func `a typed key over layers receives a rotation as one update of each value`() async throws {
        let double = try SecretFolderDouble(path: path, keys: ["user", "password"])
        let defaults = Defaults(
            LayeredStore([.init("secrets", double.store), .init("memory", InMemoryStore(), isWritable: true)])
        )
        let (user, password) = (Defaults.Key<String?>("user"), Defaults.Key<String?>("password").secret())
        let pairs = Recorder<[String?]>()
        let task = Task {
            for await (user, password) in defaults.updates(user, password) { pairs.record([user, password]) }
        }
        defer { task.cancel() }
        try await eventually("the present values arrive", pairs.values, is: [["anna", "one"]])
        try folder.publish("2", Self.second)
        double.look()
        try await eventually("both new values arrive", pairs.values, is: [["anna", "one"], ["berta", "two"]])
    }

    @Test func `a new version with the same values is no change`() throws {
        let double = try SecretFolderDouble(path: path)
        let revision = double.store.revision
        try folder.publish("2", Self.first)
        double.look()
        #expect(double.store.revision == revision)
        #expect(double.store.provenance(forKey: "user")?.description == folder.path("secrets/user"))
    }

    @Test(arguments: [SystemCall.readlink, .lstat, .opendir, .open, .fstat, .read, .close], [true, false])
    func `a version that is replaced while it is read is read again`(_ call: SystemCall, isOpening: Bool) throws {
        let folder = folder
        let swap = FaultyFileSystem.Fault.interlude(before: call) { try? folder.publish("2", Self.second) }
        let double = try SecretFolderDouble(path: path, fault: isOpening ? swap : .none)
        if !isOpening {
            double.fileSystem.inject(swap)
            double.look()
        }
        #expect(try POSIXFileSystem().target(ofLinkAt: folder.path("secrets/..data")) == "..2")
        #expect(double.store.snapshot() == table(Self.second))
        #expect(double.notices.isEmpty)
    }

    @Test func `a folder that changes each time it is read keeps its values`() throws {
        let double = try SecretFolderDouble(path: path)
        let (folder, fileSystem) = (folder, double.fileSystem)
        let version = Locked(1)
        @Sendable func swap() {
            let number = version.withLock { number in
                number += 1
                return number
            }
            try? folder.publish("\(number)", Self.second)
            fileSystem.inject(.interlude(before: .opendir, swap))
        }
        fileSystem.inject(.interlude(before: .opendir, swap))
        double.look()
        #expect(double.store.snapshot() == table(Self.first))
        #expect(double.notices.map(\.kind) == [.unreadable])
        fileSystem.inject(.none)
        double.passTime()
        #expect(double.store.snapshot() == table(Self.second))
        #expect(double.notices.count == 1)
    }

    @Test(arguments: [EIO, EMFILE, ESTALE])
    func `a system call that fails leaves one version or the other`(errno: Int32) throws {
        for number in 1... {
            let folder = try TemporaryFolder()
            try folder.publish("1", Self.first)
            let double = try SecretFolderDouble(path: folder.path("secrets"))
            try folder.publish("2", Self.second)
            double.fileSystem.inject(.failure(call: number, errno: errno))
            double.look()
            let isDone = double.fileSystem.calls.count < number
            let table = double.store.snapshot()
            #expect(table == self.table(Self.second) || !isDone && table == self.table(Self.first), "call \(number)")
            #expect(double.notices.count == (table == self.table(Self.second) ? 0 : 1), "call \(number)")
            double.passTime()
            #expect(double.store.snapshot() == self.table(Self.second), "call \(number)")
            if isDone { return }
        }
    }

    @Test func `a folder that is removed keeps its values, and is reported once`() throws {
        let double = try SecretFolderDouble(path: path)
        try folder.remove("secrets")
        double.look()
        double.passTime()
        #expect(double.store.snapshot() == table(Self.first))
        #expect(double.notices.map(\.kind) == [.unreadable])
        #expect(double.notices.first?.path == path)
        try folder.publish("2", Self.second)
        double.passTime()
        #expect(double.store.snapshot() == table(Self.second))
        #expect(double.notices.count == 1)
    }

    @Test func `a secret that its key cannot use is held back, and reported once without its value`() throws {
        let pin = Defaults.Key<Int>("pin", default: 0).validated(by: .range(1_000...9_999)).secret()
        try folder.publish("2", ["pin": "1234", "user": "anna"])
        let double = try SecretFolderDouble(path: path, checking: [pin])
        for (version, bad) in [("3", "hunter2"), ("4", "4"), ("4a", "4")] {
            try folder.publish(version, ["pin": bad, "user": version])
            for _ in 1...2 { double.look() }
            #expect(Defaults(double.store)[pin] == 1234 && double.store.value(forKey: "user") == .string(version))
            #expect(double.store.contentsStatus.staleSince != nil)
        }
        #expect(double.notices.map(\.kind) == [.valuesHeldBack, .valuesHeldBack])
        for notice in double.notices {
            #expect(notice.reason.contains("key \"pin\"") && !notice.reason.contains("hunter2"), "\(notice)")
        }
        try folder.publish("5", ["pin": "4321"])
        double.look()
        #expect(Defaults(double.store)[pin] == 4321 && double.store.contentsStatus.staleSince == nil)
    }

    @Test func `the first version of a folder that is mounted later is a change like any other`() throws {
        let pin = Defaults.Key<Int>("pin", default: 0).validated(by: .range(1_000...9_999)).secret()
        let double = try SecretFolderDouble(path: folder.path("late"), checking: [pin], isOptional: true)
        try folder.publish("1", ["pin": "4", "user": "anna"], in: "late")
        double.look()
        #expect(double.notices.map(\.kind) == [.valuesHeldBack] && double.store.contentsStatus.staleSince != nil)
        #expect(Defaults(double.store)[pin] == 0 && double.store.snapshot() == ["user": "anna"])
    }

    @Test func `a version in which a known secret is refused does not replace the one before`() throws {
        let double = try SecretFolderDouble(path: path)
        try folder.publish("2", Self.second, mode: 0o644)
        double.look()
        #expect(double.store.snapshot() == table(Self.first))
        #expect(double.notices.map(\.kind) == [.unreadable])
        #expect(double.notices.first?.description.contains("mode 644") == true)
        try folder.publish("3", Self.second)
        double.look()
        #expect(double.store.snapshot() == table(Self.second))
        #expect(double.notices.count == 1)
    }
}

/// Changes that a watcher reports to a store of a folder.
@Suite
struct WatchedSecretFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("secrets")
    }

    private func open(_ kind: WatcherKind, isOptional: Bool = false) throws -> SecretFolderStore {
        try SecretFolderStore(
            path: folder.path("secrets"),
            isOptional: isOptional,
            seams: FileStoreSeams(fileSystem: POSIXFileSystem(), watcher: kind.watcher, report: { _ in })
        )
    }

    private func expect(_ store: SecretFolderStore, _ values: PropertyListTable) async throws {
        try await eventually("the store reads \(values)", store.snapshot(), is: values)
    }

    /// Runs a script that expects texts of keys: `a:1 b:2`.
    private func follow(_ script: String, with kind: WatcherKind) async throws {
        let store = try open(kind)
        try await folder.run(script) { text in
            let pairs = text.split(separator: " ").map { $0.split(separator: ":").map(String.init) }
            let values = pairs.filter { $0.count == 2 }.map { ($0[0], PropertyListValue.string($0[1])) }
            try await expect(store, PropertyListTable(Dictionary(uniqueKeysWithValues: values)))
        }
    }

    @Test(arguments: WatcherKind.allCases)
    func `each swap of a mounted folder arrives`(kind: WatcherKind) async throws {
        try folder.remove("secrets")
        let store = try open(kind, isOptional: true)
        for number in 1...3 {
            try folder.publish("\(number)", ["a": "\(number)", "b\(number)": "x"])
            try await expect(store, ["a": .string("\(number)"), "b\(number)": "x"])
        }
    }

    @Test(
        arguments: WatcherKind.allCases,
        [
            // Files that are written, replaced, added, made readable and removed.
            """
            overwrite secrets/a 1 = a:1; overwrite secrets/a 22 = a:22; replace secrets/a 333 = a:333;
            overwrite secrets/b 4; mode secrets/b 644; overwrite secrets/c 5 = a:333 c:5;
            mode secrets/b 400 = a:333 b:4 c:5; remove secrets/a = b:4 c:5; remove secrets/b; remove secrets/c = -
            """,
            // A container gets single files of the host, which are written in place.
            """
            folder elsewhere; overwrite elsewhere/file 1; link secrets/key ../elsewhere/file = key:1;
            overwrite elsewhere/file 22 = key:22; replace elsewhere/file 333 = key:333
            """,
            // A folder that is removed and made again.
            """
            overwrite secrets/a 1 = a:1; remove secrets; folder next; overwrite next/a 2; rename next secrets = a:2;
            remove secrets; folder next; overwrite next/a 3; rename next secrets = a:3
            """,
        ]
    )
    func `a change of the files arrives`(kind: WatcherKind, script: String) async throws {
        try await follow(script, with: kind)
    }

    @Test(arguments: WatcherKind.allCases)
    func `no snapshot and no change has secrets of two versions while versions are swapped`(kind: WatcherKind)
        async throws
    {
        try folder.remove("secrets")
        try folder.publish("0", ["user": "0", "password": "0"])
        let store = try open(kind)
        let torn = Recorder<PropertyListTable>()
        let look = { @Sendable in
            let table = store.snapshot()
            if table["user"] != table["password"] { torn.record(table) }
        }
        let observation = store.observe(.all, initial: false) { change in
            if change.entries.count != 2 { torn.record(store.snapshot()) }
            look()
        }
        let swaps = TestLevel.current.pick(60, thorough: 500, exhaustive: 5_000)
        for number in 1...swaps {
            try folder.publish("\(number)", ["user": "\(number)", "password": "\(number)"])
            for _ in 1...50 { look() }
            // Some swaps come within one reading, and others after it.
            guard number.isMultiple(of: 7) || number == swaps else { continue }
            let version = PropertyListValue.string("\(number)")
            try await expect(store, ["user": version, "password": version])
        }
        #expect(torn.values == [])
        observation.cancel()
    }

    #if os(Linux)
    /// The limit is reached at once, on the way to a file, or when a file is added.
    @Test(arguments: [1, 4, 8, nil])
    func `a store polls its folder where the system has no more watches, and says so once`(number: Int?) async throws {
        let calls = FaultyInotifyCalls(number.map { .addWatch(number: $0, errno: ENOSPC) } ?? .none)
        let notices = Recorder<FileStoreNotice>()
        try folder.overwrite("secrets/a", "1")
        let store = try SecretFolderStore(
            path: folder.path("secrets"),
            seams: FileStoreSeams(
                fileSystem: POSIXFileSystem(),
                watcher: SystemFileWatcher(calls: calls, pollingInterval: .milliseconds(2)),
                report: { if case .notice(let notice) = $0 { notices.record(notice) } }
            )
        )
        try folder.overwrite("secrets/a", "22")
        try await expect(store, ["a": "22"])
        if number == nil { calls.inject(.addWatch(number: 1, errno: ENOSPC)) }
        try folder.overwrite("secrets/b", "3")
        try await expect(store, ["a": "22", "b": "3"])
        try await eventually("the store says that it polls", notices.values.map(\.kind), is: [.polling])
        try folder.replace("secrets/b", "44")
        try await expect(store, ["a": "22", "b": "44"])
        #expect(notices.values.map(\.path) == [folder.path("secrets")])
    }
    #endif

    @Test func `a store that is released ends its watch`() throws {
        let watcher = ManualFileWatcher()
        do {
            let seams = FileStoreSeams(fileSystem: POSIXFileSystem(), queue: ManualWorkQueue(), watcher: watcher)
            let store = try SecretFolderStore(path: folder.path("secrets"), seams: seams)
            #expect(store.snapshot() == [:] && watcher.endedPaths == [])
        }
        #expect(watcher.endedPaths == [folder.path("secrets")])
    }
}
