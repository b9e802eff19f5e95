import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Secrets that are replaced while a store has them.
@Suite(.timeLimit(.minutes(20)))
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
        let changes = Locked<[PropertyListChange]>([])
        let observation = double.store.observe(.all, initial: false) { change in
            changes.withLock { $0.append(change) }
        }
        let revision = double.store.revision
        try folder.publish("2", ["user": "anna", "password": "two", "token": "new"])
        double.look()
        try await eventually { changes.withLock(\.count) == 1 }
        let change = try #require(changes.withLock { $0.first })
        #expect(Set(change.entries.map(\.key)) == ["password", "token"])
        #expect(change["password"]?.storedOld == StoredValue("one", isText: true))
        #expect(change["password"]?.storedNew == StoredValue("two", isText: true))
        #expect(double.store.revision != revision)
        try folder.publish("3", ["user": "anna"])
        double.look()
        try await eventually { changes.withLock(\.count) == 2 }
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
        var updates = defaults.updates(user, password).makeAsyncIterator()
        var pairs: [[String?]] = []
        if let (user, password) = await updates.next() { pairs.append([user, password]) }
        try folder.publish("2", Self.second)
        double.look()
        if let (user, password) = await updates.next() { pairs.append([user, password]) }
        #expect(pairs == [["anna", "one"], ["berta", "two"]])
    }

    @Test func `a new version with the same values is no change`() throws {
        let double = try SecretFolderDouble(path: path)
        let revision = double.store.revision
        try folder.publish("2", Self.first)
        double.look()
        #expect(double.store.revision == revision)
        #expect(double.store.provenance(forKey: "user")?.description == folder.path("secrets/user"))
    }

    @Test(
        arguments: [SystemCall.readlink, .lstat, .opendir, .open, .fstat, .read, .close],
        [true, false]
    )
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

    @Test func `a removed secret has no value anymore`() throws {
        try folder.makeFolder("plain")
        try folder.overwrite("plain/a", "1")
        try folder.overwrite("plain/b", "2")
        let double = try SecretFolderDouble(path: folder.path("plain"))
        try folder.remove("plain/a")
        double.look()
        #expect(double.store.snapshot() == ["b": "2"])
        try folder.remove("plain/b")
        double.look()
        #expect(double.store.snapshot() == [:])
        #expect(double.notices.isEmpty)
    }
}

/// Changes that a watcher reports to a store of a folder.
@Suite(.timeLimit(.minutes(20)))
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
        try await eventually { store.snapshot() == values }
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

    @Test(arguments: WatcherKind.allCases)
    func `no snapshot and no change has secrets of two versions while versions are swapped`(kind: WatcherKind)
        async throws
    {
        try folder.remove("secrets")
        try folder.publish("0", ["user": "0", "password": "0"])
        let store = try open(kind)
        let torn = Locked<[PropertyListTable]>([])
        let look = { @Sendable in
            let table = store.snapshot()
            if table["user"] != table["password"] { torn.withLock { $0.append(table) } }
        }
        let observation = store.observe(.all, initial: false) { change in
            if change.entries.count != 2 { torn.withLock { $0.append(store.snapshot()) } }
            look()
        }
        for number in 1...TestLevel.current.pick(60, thorough: 500, exhaustive: 5_000) {
            try folder.publish("\(number)", ["user": "\(number)", "password": "\(number)"])
            for _ in 1...50 { look() }
            // Some swaps come within one reading, and others after it.
            if number.isMultiple(of: 7) { try await Task.sleep(for: .milliseconds(25)) }
        }
        let last = PropertyListValue.string("\(TestLevel.current.pick(60, thorough: 500, exhaustive: 5_000))")
        try await expect(store, ["user": last, "password": last])
        #expect(torn.withLock { $0 } == [])
        observation.cancel()
    }

    @Test(arguments: WatcherKind.allCases)
    func `files that are written, replaced, added, removed and made readable arrive`(kind: WatcherKind) async throws {
        try folder.overwrite("secrets/a", "1")
        let store = try open(kind)
        try await expect(store, ["a": "1"])
        try folder.overwrite("secrets/a", "22")
        try await expect(store, ["a": "22"])
        try folder.replace("secrets/a", "333")
        try await expect(store, ["a": "333"])
        try folder.write(Array("4".utf8), to: "secrets/b", permissions: 0o644)
        try folder.overwrite("secrets/c", "5")
        try await expect(store, ["a": "333", "c": "5"])
        try #require(chmod(folder.path("secrets/b"), 0o400) == 0)
        try await expect(store, ["a": "333", "b": "4", "c": "5"])
        try folder.remove("secrets/a")
        try await expect(store, ["b": "4", "c": "5"])
    }

    /// A container gets single files of the host, which are written in place.
    @Test(arguments: WatcherKind.allCases)
    func `a write to the file that a link leads to arrives`(kind: WatcherKind) async throws {
        try folder.makeFolder("elsewhere")
        try folder.overwrite("elsewhere/file", "1")
        try folder.link("secrets/key", to: "../elsewhere/file")
        let store = try open(kind)
        try await expect(store, ["key": "1"])
        try folder.overwrite("elsewhere/file", "22")
        try await expect(store, ["key": "22"])
        try folder.replace("elsewhere/file", "333")
        try await expect(store, ["key": "333"])
    }

    @Test(arguments: WatcherKind.allCases)
    func `a folder that is removed and made again arrives`(kind: WatcherKind) async throws {
        try folder.overwrite("secrets/a", "1")
        let store = try open(kind)
        for number in 2...4 {
            try folder.remove("secrets")
            try folder.makeFolder("next")
            try folder.overwrite("next/a", "\(number)")
            try folder.rename("next", to: "secrets")
            try await expect(store, ["a": .string("\(number)")])
        }
    }

    #if os(Linux)
    /// The limit is reached at once, on the way to a file, or when a file is added.
    @Test(arguments: [1, 4, 8, nil])
    func `a store polls its folder where the system has no more watches, and says so once`(number: Int?) async throws {
        let calls = FaultyInotifyCalls(number.map { .addWatch(number: $0, errno: ENOSPC) } ?? .none)
        let notices = Locked<[FileStoreNotice]>([])
        try folder.overwrite("secrets/a", "1")
        let store = try SecretFolderStore(
            path: folder.path("secrets"),
            seams: FileStoreSeams(
                fileSystem: POSIXFileSystem(),
                watcher: SystemFileWatcher(calls: calls, pollingInterval: .milliseconds(2)),
                report: { if case .notice(let notice) = $0 { notices.withLock { $0.append(notice) } } }
            )
        )
        try folder.overwrite("secrets/a", "22")
        try await expect(store, ["a": "22"])
        if number == nil { calls.inject(.addWatch(number: 1, errno: ENOSPC)) }
        try folder.overwrite("secrets/b", "3")
        try await expect(store, ["a": "22", "b": "3"])
        try await eventually { notices.withLock { $0.map(\.kind) } == [.polling] }
        try folder.replace("secrets/b", "44")
        try await expect(store, ["a": "22", "b": "44"])
        #expect(notices.withLock { $0.map(\.path) } == [folder.path("secrets")])
    }
    #endif

    @Test func `a store that is released ends its watch`() throws {
        final class Observed: Sendable {
            let count = Locked(0)
        }
        struct CountingWatcher: FileWatcher {
            let ends: Observed

            func watch(
                _ target: WatchTarget,
                onAppend: @escaping @Sendable () -> EventResponse,
                onPolling: @escaping @Sendable (FileWatchError) -> Void,
                onChange: @escaping @Sendable () -> Void
            ) -> FileWatch {
                FileWatch { [ends] in ends.count.withLock { $0 += 1 } }
            }
        }
        let ends = Observed()
        do {
            let seams = FileStoreSeams(
                fileSystem: POSIXFileSystem(),
                queue: ManualWorkQueue(),
                watcher: CountingWatcher(ends: ends)
            )
            let store = try SecretFolderStore(path: folder.path("secrets"), seams: seams)
            #expect(store.snapshot() == [:])
            #expect(ends.count.withLock(\.self) == 0)
        }
        #expect(ends.count.withLock(\.self) == 1)
    }
}
