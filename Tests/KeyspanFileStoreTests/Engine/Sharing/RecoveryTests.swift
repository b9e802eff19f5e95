@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite struct RecoveryTests {
    private let folder = TemporaryFolder.forTest
    private static let bad = Array("{\"key\": \"val".utf8)

    private func open(_ journal: FileStoreOptions.Journal = .beside, recovers: Bool = true) throws -> ProcessDouble {
        try ProcessDouble(
            path: folder.path("file.json"),
            options: FileStoreOptions(journal: journal, recovery: recovers ? .lastGoodCopy : .none)
        )
    }

    /// The names of files that were set aside.
    private var kept: [String] { get throws { try folder.names.filter { $0.contains(".damaged-") } } }

    @Test(arguments: [FileStoreOptions.Journal.beside, .none])
    func `a recovering store restores the last copy and keeps the file`(journal: FileStoreOptions.Journal) throws {
        do { try open(journal).save(["key": 1, "list": [1, 2]]) }
        try folder.write(Self.bad, to: "file.json", permissions: 0o640)
        let process = try open(journal)
        #expect(process.store.snapshot() == ["key": 1, "list": [1, 2]])
        #expect(process.notices == [.recovered])
        let recovery = try #require(process.recovery)
        #expect(recovery.hadGoodCopy)
        #expect(recovery.restoredKeys == 2)
        #expect(recovery.cause.step == .parse)
        #expect(try kept.map { folder.path($0) } == [recovery.keptFile])
        #expect(try folder.bytes(of: kept[0]) == Self.bad)
        #expect(try folder.table() == ["key": 1, "list": [1, 2]])
        #expect(try POSIXFileSystem().status(ofItemAt: folder.path("file.json")).permissions == 0o640)
        #expect(recovery.description.contains(recovery.keptFile))
    }

    @Test func `a recovering store restores what is in the journal as well`() throws {
        let gone = try open()
        try gone.save(["key": 1])
        gone.passTime()
        try gone.save(["key": 2, "new": 3])
        try folder.write(Self.bad, to: "file.json")
        #expect(try open().store.snapshot() == ["key": 2, "new": 3])
        withExtendedLifetime(gone) {}
    }

    @Test func `a recovering store restores what was written to members of objects`() throws {
        let gone = try open()
        try gone.save(["tls": ["port": 1, "host": "x", "retries": 3]])
        gone.passTime()
        try gone.save(["tls.port": nil, "tls.host": "y"])
        try folder.write(Self.bad, to: "file.json")
        #expect(try open().store.snapshot() == ["tls": ["host": "y", "retries": 3]])
        withExtendedLifetime(gone) {}
    }

    /// Without a copy, what was in the file is lost.
    @Test(arguments: [1, 3, 9])
    func `a recovering store restores every write of the journal if there is no copy`(foldsAfter: Int) throws {
        let gone = try open(recovers: false)
        for number in 1...4 {
            try gone.save(["key \(number)": 1])
            if number == foldsAfter { gone.passTime() }
        }
        try folder.write(Self.bad, to: "file.json")
        let process = try open()
        for number in (foldsAfter % 9 + 1)...4 { #expect(process["key \(number)"] == 1) }
        #expect(process.recovery?.hadGoodCopy == false)
        #expect(try kept.count == 1)
        withExtendedLifetime(gone) {}
    }

    @Test(arguments: [false, true])
    func `a recovering store does not put checkpointed values over later ones`(hasCopy: Bool) throws {
        let gone = try open()
        try gone.save(["key": 1])
        gone.passTime()
        try folder.write(["key": 5])
        gone.look()
        try gone.save(["other": 2])
        gone.passTime()
        try gone.save(["third": 3])
        #expect(gone.store.snapshot() == ["key": 5, "other": 2, "third": 3])
        if !hasCopy { try folder.remove(".file.json.last-good") }
        try folder.write(Self.bad, to: "file.json")
        #expect(try open().store.snapshot() == (hasCopy ? ["key": 5, "other": 2, "third": 3] : ["third": 3]))
        withExtendedLifetime(gone) {}
    }

    @Test func `a recovering store does not restore a copy that is damaged`() throws {
        do { try open(.none).save(["key": 1]) }
        var copy = try folder.bytes(of: ".file.json.last-good")
        copy[copy.count - 4] ^= 1
        try folder.write(copy, to: ".file.json.last-good")
        try folder.write(Self.bad, to: "file.json")
        let process = try open(.none)
        #expect(process.store.snapshot().isEmpty)
        #expect(process.recovery?.hadGoodCopy == false)
        #expect(try kept.count == 1)
    }

    @Test func `a recovering store throws and touches nothing without being asked to recover`() throws {
        do { try open().save(["key": 1]) }
        try folder.write(Self.bad, to: "file.json")
        let names = try folder.names
        let error = #expect(throws: FileStoreError.self) { try open(recovers: false) }
        #expect(error?.step == .parse)
        #expect(try folder.names == names)
        #expect(try folder.bytes(of: "file.json") == Self.bad)
    }

    @Test func `a recovering store keeps every bad file, however many there are within a second`() throws {
        do { try open(.none).save(["key": 1]) }
        for number in 1...3 {
            try folder.write(Self.bad + [UInt8(number)], to: "file.json")
            #expect(try open(.none)["key"] == 1)
        }
        #expect(try kept.count == 3)
    }

    @Test(arguments: [UInt32(0o666), 0o620, 0o602])
    func `a recovering store distrusts a copy that more people can write`(permissions: UInt32) throws {
        do { try open(.none).save(["key": 1]) }
        #expect(chmod(folder.path(".file.json.last-good"), permissions) == 0)
        try folder.write(Self.bad, to: "file.json")
        #expect(try open(.none).recovery?.hadGoodCopy == false)
    }

    @Test func `a recovering store restores a copy of a file that is as large as it may be`() throws {
        let bytes = JSONFileCodec().encode(["key": 1])
        let options = FileStoreOptions(
            journal: .none,
            recovery: .lastGoodCopy,
            limits: FileStoreLimits(fileSize: bytes.count)
        )
        do {
            let process = try ProcessDouble(path: folder.path("file.json"), options: options)
            // Its size is estimated when it is applied, and counted when it is saved.
            try? process.set(["key": 1])
            try process.store.synchronize()
        }
        try folder.write(Array(Self.bad.prefix(5)), to: "file.json")
        let process = try ProcessDouble(path: folder.path("file.json"), options: options)
        #expect(process["key"] == 1)
    }

    @Test(arguments: [EIO, ENOSPC, EACCES])
    func `a recovering store leaves the bad file where it is, whichever call fails`(errno: Int32) throws {
        do { try open(.none).save(["key": 1]) }
        let options = FileStoreOptions(journal: .none, recovery: .lastGoodCopy)
        for call in 1... {
            try folder.write(Self.bad, to: "file.json")
            let fileSystem = FaultyFileSystem()
            fileSystem.inject(.failure(call: call, errno: errno))
            do {
                let path = folder.path("file.json")
                let process = try ProcessDouble(path: path, options: options, fileSystem: fileSystem)
                #expect(process["key"] == 1)
            } catch {
                #expect(error is FileStoreError)
                #expect([Self.bad, JSONFileCodec().encode(["key": 1])].contains(try folder.bytes(of: "file.json")))
            }
            if fileSystem.calls.count < call { return }
            for name in try folder.names where name.contains(".damaged-") { try folder.remove(name) }
        }
    }
}
