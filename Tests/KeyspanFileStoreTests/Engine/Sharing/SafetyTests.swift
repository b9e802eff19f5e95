import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite struct SafetyTests {
    private let folder = TemporaryFolder.forTest
    private let journal = ".file.json.journal"

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    @Test func `a store does not follow a link in the place of the journal`() throws {
        try folder.write([1, 2, 3], to: "victim")
        try folder.link(journal, to: "victim")
        let error = #expect(throws: FileStoreError.self) { try open() }
        #expect(error?.step == .openJournal)
        #expect(try folder.bytes(of: "victim") == [1, 2, 3])
    }

    /// An item of user 1 in a folder of user 2, unless given.
    struct Item: Sendable {
        var kind = FileStatus.Kind.symbolicLink
        var owner: UInt32 = 1
        var folder: UInt32 = 2
        var mode: UInt32 = 0o777
        var isSticky = true
        /// Who asks.
        var user: UInt32 = 3
    }

    @Test(arguments: [
        (Item(), true), (Item(kind: .regular), true), (Item(kind: .special, user: 0), true),
        (Item(user: 1), false), (Item(owner: 0), false), (Item(kind: .regular, owner: 0), false),
        // Where nobody but the owners of file and folder can replace a file, and where they can.
        (Item(kind: .regular, isSticky: false), false), (Item(kind: .regular, mode: 0o770), false),
        (Item(kind: .regular, folder: 3), true), (Item(kind: .regular, folder: 0, user: 0), true),
        // Links of others lead writes elsewhere wherever others may make them.
        (Item(isSticky: false), true), (Item(mode: 0o770, isSticky: false), true), (Item(folder: 3), true),
        (Item(mode: 0o755, isSticky: false), false), (Item(folder: 1), false), (Item(folder: 1, user: 0), false),
        // All users that a namespace does not know have one number.
        (Item(owner: 65_534, folder: 65_534), true), (Item(kind: .regular, owner: 65_534, folder: 65_534), true),
        (Item(owner: 65_534, folder: 65_534, user: 65_534), false),
    ])
    func `an item counts as planted if it is a stranger's`(item: Item, isPlanted: Bool) {
        func status(_ kind: FileStatus.Kind, _ mode: UInt32, _ owner: UInt32) -> FileStatus {
            let signature = FileSignature(device: 1, inode: 1, size: 0, modified: 0, changed: 0)
            return FileStatus(
                kind: kind,
                permissions: mode,
                isSticky: kind == .folder && item.isSticky,
                owner: owner,
                group: 0,
                links: 1,
                signature: signature
            )
        }
        let folder = status(.folder, item.mode, item.folder)
        #expect(status(item.kind, 0o644, item.owner).isPlanted(in: folder, for: item.user) == isPlanted)
    }

    @Test(arguments: [UInt32(0o660), 0o606, 0o620, 0o600])
    func `a store distrusts a journal that more people can write, or that has two names`(permissions: UInt32) throws {
        let store = try open()
        try store.save(["key": 1])
        store.passTime()
        if permissions == 0o600 { #expect(link(folder.path(journal), folder.path("other")) == 0) }
        #expect(chmod(folder.path(journal), permissions) == 0)
        let error = #expect(throws: FileStoreError.self) { try open() }
        #expect(error?.step == .openJournal)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: [
            (0o660, UInt32(0o2770), UInt32(2345), true), (0o660, 0o3770, 2345, true), (0o660, 0o2775, 2345, true),
            (0o640, 0o2770, 2345, false), (0o660, 0o2777, 2345, false), (0o660, 0o2770, 3456, false),
            (0o600, 0o2770, 2345, false),
        ]
    )
    func `a store trusts a journal of a group member where no other may put one`(
        file: Int,
        folder permissions: UInt32,
        group: UInt32,
        isTrusted: Bool
    ) throws {
        try folder.write(fileBytes("old"), to: "file.json", permissions: file)
        #expect(chown(folder.path("file.json"), 0, 2345) == 0)
        #expect(chown(folder.path, 0, group) == 0)
        #expect(chmod(folder.path, permissions) == 0)
        try open().save(["key": 1])
        #expect(chown(folder.path(journal), 1234, 2345) == 0)
        if isTrusted {
            #expect(try open().store.value(forKey: "key") == 1)
        } else {
            let error = #expect(throws: FileStoreError.self) { try open() }
            #expect(error?.step == .openJournal)
        }
    }

    @Test(arguments: [(0o600, UInt32(0o600)), (0o644, 0o600), (0o664, 0o660), (0o666, 0o666), (0o400, 0o600)])
    func `a store makes a journal for those who may write the file`(file: Int, expected: UInt32) throws {
        try folder.write(fileBytes("old"), to: "file.json", permissions: file)
        let store = try open(FileStoreOptions(recovery: .lastGoodCopy))
        try store.save(["key": 1])
        store.passTime()
        let fileSystem = POSIXFileSystem()
        #expect(try fileSystem.status(ofItemAt: folder.path(journal)).permissions == expected)
        #expect(try fileSystem.status(ofItemAt: folder.path("file.json")).permissions == UInt32(file))
        #expect(try fileSystem.status(ofItemAt: folder.path(".file.json.last-good")).permissions & 0o077 == 0)
    }

    @Test(arguments: [(mode_t(0o700), false), (0o777, true), (0o1777, false)])
    func `a store that writes reports once that everyone may replace the file`(mode: mode_t, isReported: Bool) throws {
        #expect(chmod(folder.path, mode) == 0)
        defer { chmod(folder.path, 0o700) }
        let store = try open()
        #expect(store.notices.isEmpty)
        try store.save(["key": 1])
        try store.save(["key": 2])
        #expect(store.notices == (isReported ? [.worldWritableFolder] : []))
        #expect(try open().notices.isEmpty)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a file away"),
        arguments: [
            (0o1777, uid_t(1234), uid_t(0), []), (0o1777, 65534, 65534, []), (0o777, 1234, 0, [false]),
            (0o1775, 1234, 0, [false]), (0o755, 1234, 0, [false, true]), (0o1777, 0, 0, [false, true]),
            (0o1777, 1234, 1234, [false, true]),
        ],
        [false, true]
    )
    func `a store writes no file or link that someone else could have planted`(
        item: (mode: Int, owner: uid_t, ownerOfFolder: uid_t, trusted: [Bool]),
        isLink: Bool
    ) throws {
        try folder.makeFolder("sticky")
        try folder.makeFolder("victim")
        let path = folder.path("sticky/file.json")
        if isLink {
            try folder.link("sticky/file.json", to: folder.path("victim/new.json"))
        } else {
            try folder.write(fileBytes("old"), to: "sticky/file.json", permissions: 0o666)
        }
        #expect(lchown(path, item.owner, item.owner) == 0)
        #expect(chown(folder.path("sticky"), item.ownerOfFolder, 0) == 0)
        #expect(chmod(folder.path("sticky"), mode_t(item.mode)) == 0)
        for options in [FileStoreOptions(), FileStoreOptions(journal: .none)] {
            let store = try ProcessDouble(path: path, options: options)
            if item.trusted.contains(isLink) {
                try store.save(["key": 1])
                continue
            }
            let error = #expect(throws: StoreError.self) { try store.save(["key": 1]) }
            #expect(
                error?.description.contains("belongs to user \(item.owner), in a folder to which other users") == true
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("victim")).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("sticky")) == ["file.json"])
            // It can be read.
            #expect(store["old"] == nil || !isLink)
        }
    }

    @Test func `a store removes the remains of a process that was killed during a save, and no more`() throws {
        let gone = try open()
        try gone.save(["key": 1])
        let others = [".file.json.tmp", ".file.json.x.tmp", ".file.json.b.12ab.tmp", ".other.json.12ab.tmp"]
        for name in others + [".file.json.12ab.tmp", "..file.json.last-good.12ab.tmp"] {
            try folder.write([], to: name)
        }
        let next = try open()
        next.passTime()
        #expect(try folder.names.filter { $0.hasSuffix(".tmp") } == others.sorted())
        withExtendedLifetime(gone) {}
    }

    @Test func `a store refuses a value that is too large or nested too deep, and changes nothing`() throws {
        let limits = FileStoreLimits(valueSize: 100, nesting: 2)
        for durability in [FileStoreOptions.Durability.grouped, .everyBatch] {
            let process = try open(FileStoreOptions(durability: durability, limits: limits))
            let values: [(PropertyListValue, StoreError.Code)] = [
                (.string(String(repeating: "x", count: 101)), .tooLarge),
                (.data(.init(repeating: 0, count: 101)), .tooLarge),
                (["key": [.string(String(repeating: "x", count: 98))]], .tooLarge), ([[[1]]], .nestingTooDeep),
            ]
            for (value, code) in values {
                let error = #expect(throws: StoreError.self) { try process.set(["key": value, "other": 1]) }
                #expect(error?.code == code)
                #expect(error?.key == "key")
                #expect(process.store.snapshot().isEmpty)
            }
            try process.set(["key": .string(String(repeating: "x", count: 100))])
            try process.set(["key": nil])
        }
    }

    /// A kept value has more around it, and there are several.
    @Test func `a store can keep and move values that are as large and as deep as its limits allow`() throws {
        let limits = FileStoreLimits(valueSize: 100, nesting: 2)
        let process = try open(FileStoreOptions(limits: limits))
        let defaults = Defaults(process.store)
        let key = Defaults.Key<Int>("key", default: 0)
        for round in 0..<3 {
            let value: PropertyListValue = [[.string(String(repeating: "\(round)", count: 100))]]
            try process.set(["key": value])
            try defaults.set(round, for: key)
            #expect(defaults.keptValues(for: key).last?.value == value)
        }
        try defaults.restore(try #require(defaults.keptValues(for: key).first))
        #expect(process["key"] == [[.string(String(repeating: "0", count: 100))]])
        let old = try ProcessDouble(path: folder.path("old.json"), options: FileStoreOptions(limits: limits))
        try old.set(["old": [[.string(String(repeating: "x", count: 100))]]])
        try defaults.migrate(
            Defaults.MigrationPlan(
                "app",
                Defaults.Migration(to: 1, .move("old", from: old.store, to: Defaults.Key<Int?>("new")))
            )
        )
        #expect(process["new"] == [[.string(String(repeating: "x", count: 100))]])
        #expect(old["old"] == nil)
    }

    @Test func `a store refuses a file that is too large, and does not make one`() throws {
        try folder.write(fileBytes(String(repeating: "x", count: 1000)), to: "file.json")
        let options = FileStoreOptions(journal: .none, limits: FileStoreLimits(fileSize: 500))
        let error = #expect(throws: FileStoreError.self) { try open(options) }
        #expect(error?.step == .open)
        try folder.write(fileBytes("old"), to: "file.json")
        let process = try open(options)
        let refusal = #expect(throws: StoreError.self) {
            try process.set(["big": .string(String(repeating: "x", count: 600))])
        }
        #expect(refusal?.code == .tooLarge)
        #expect(process["big"] == nil)
        for number in 0..<100 { try? process.set(["key \(number)": .string(String(repeating: "x", count: 50))]) }
        try process.store.synchronize()
        #expect(try folder.bytes(of: "file.json").count <= 500)
        #expect(process.store.snapshot().count < 20)
    }
}
