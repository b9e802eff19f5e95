#if os(Linux)
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite
struct InotifyTests {
    private let folder: TemporaryFolder
    /// It has not heard that the folder was made.
    private let watcher = SystemFileWatcher()

    /// More than a process that is spawned meanwhile causes: it closes what the test wrote once more, when it begins.
    private static let lateEvents = 10

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    @Test func `watching with inotify does not report other files in the folders on the way`() async throws {
        try folder.makeFolder("folder")
        try folder.link("link", to: "folder/file")
        try folder.overwrite("folder/file", "old")
        let reader = WatchingReader(folder.path("link"), with: watcher)
        let other = WatchingReader(folder.path("folder/other"), with: watcher)
        for number in 1...50 {
            try folder.overwrite("elsewhere", "\(number)")
            try folder.replace("folder/other", "\(number)")
            try await other.reads("\(number)")
        }
        try folder.overwrite("folder/file", "")
        try folder.overwrite("folder/file", "new")
        try await reader.reads("new")
        #expect(reader.readings.count { $0.file == "old" } < Self.lateEvents)
    }

    @Test func `watching with inotify does not report the lock of the companion`() async throws {
        try folder.overwrite(".file.journal", "journal")
        let reader = WatchingReader(folder.path("file"), with: watcher)
        let other = WatchingReader(folder.path("other"), with: watcher)
        let fileSystem = POSIXFileSystem()
        for number in 1...50 {
            let file = try fileSystem.openFile(folder.path(".file.journal"), for: .updating)
            #expect(try fileSystem.lock(file, exclusively: true))
            try fileSystem.unlock(file)
            try fileSystem.closeFile(file)
            try folder.overwrite("other", "\(number)")
            try await other.reads("\(number)")
        }
        try folder.replace("file", "new")
        try await reader.reads("new", companion: "journal")
        #expect(reader.readings.count { $0.file == "old" } < Self.lateEvents)
    }

    /// Events have the name with which the writer has opened the file.
    @Test func `watching with inotify reports what the maker of the companion writes`() async throws {
        let reader = WatchingReader(folder.path("made.json"), with: watcher)
        let process = try ProcessDouble(path: folder.path("made.json"))
        for number in 1...3 {
            try process.save(["key": .integer(PropertyListInteger(number))])
            let journal = try folder.bytes(of: ".made.json.journal")
            try await reader.reads(nil, companion: String(decoding: journal, as: UTF8.self))
        }
    }

    @Test(arguments: [false, true])
    func `watching with inotify reports writes to other files while a client looks at one`(isResting: Bool) async throws
    {
        let calls = FaultyInotifyCalls(.madeUpEvents)
        let watcher = SystemFileWatcher(calls: calls)
        let looks = Recorder<String>()
        let watches = ["first", "second"].map { name in
            watcher.watch(
                .file(AbsolutePath(folder.path(name), relativeTo: "/"), companion: WatchingReader.companionName),
                onAppend: {
                    var response = EventResponse()
                    response.isResting = isResting
                    response.look = {
                        looks.record(name)
                        guard name == "first" else { return }
                        // Blocks the thread that has the event, as a busy disk does.
                        eventually("the other client looks", looks.values) { $0.contains("second") }
                        looks.record("first is done")
                    }
                    return response
                },
                onPolling: { _ in },
                onChange: {}
            )
        }
        calls.send(IN_MODIFY, name: ".first.journal", at: folder.path)
        try await eventually("the first client looks", looks.values, is: ["first"])
        calls.send(IN_MODIFY, name: ".second.journal", at: folder.path)
        try await eventually("both clients look", looks.values, is: ["first", "second", "first is done"])
        withExtendedLifetime(watches) {}
    }

    @Test func `watching with inotify lets the client of the only file look after a rest`() async throws {
        let calls = FaultyInotifyCalls(.madeUpEvents)
        let looks = Recorder<Void>()
        let watch = SystemFileWatcher(calls: calls).watch(
            .file(AbsolutePath(folder.path("file"), relativeTo: "/"), companion: WatchingReader.companionName),
            onAppend: {
                var response = EventResponse()
                response.isResting = true
                response.look = { looks.record(()) }
                return response
            },
            onPolling: { _ in },
            onChange: {}
        )
        for number in 1...3 {
            calls.send(IN_MODIFY, name: ".file.journal", at: folder.path)
            try await eventually("the client looks", looks.count, is: number)
        }
        withExtendedLifetime(watch) {}
    }

    @Test func `watching with inotify reports that the permissions of the file were changed`() async throws {
        let reader = WatchingReader(folder.path("file"), with: watcher)
        try #require(chmod(folder.path("file"), 0o640) == 0)
        try await reader.reads("old")
    }

    @Test func `watching with inotify reports many events in one call`() async throws {
        let calls = FaultyInotifyCalls(.madeUpEvents)
        let reader = WatchingReader(folder.path("file"), with: SystemFileWatcher(calls: calls))
        calls.send(IN_MODIFY, name: "file", at: folder.path, count: 100)
        try await reader.reads("old")
        try folder.overwrite("file", "new")
        calls.send(IN_MODIFY, name: "file", at: folder.path)
        try await reader.reads("new")
        #expect(reader.readings.count == 2)
    }

    @Test(arguments: [IN_Q_OVERFLOW, IN_IGNORED, IN_UNMOUNT])
    func `watching with inotify reports to everyone that events were lost or watches have ended`(mask: Int32)
        async throws
    {
        let calls = FaultyInotifyCalls(.madeUpEvents)
        let watcher = SystemFileWatcher(calls: calls)
        let readers = ["file", "other"].map { WatchingReader(folder.path($0), with: watcher) }
        try folder.overwrite("file", "new")
        try folder.overwrite("other", "new")
        calls.send(mask, at: mask == IN_Q_OVERFLOW ? nil : folder.path)
        for reader in readers { try await reader.reads("new") }
    }

    /// The watches of a path begin one after the other; the path may change between any two.
    @Test(arguments: 1...4, ["link", "folder", "nothing"])
    func `watching with inotify follows a path that changes meanwhile`(step: Int, kind: String) async throws {
        for name in ["a", "b", "folder", "next", "other"] {
            try folder.makeFolder(name)
            try folder.overwrite("\(name)/file", "old")
        }
        if kind != "nothing" { try folder.link("other/current", to: "../a") }
        try folder.link("folder/link", to: "../other/current/file")
        try folder.link("next/link", to: "../b/file")
        let calls = FaultyInotifyCalls(
            .change(number: folder.path.split(separator: "/").count + step) { [folder] in
                do {
                    if kind != "folder" { return try folder.replaceLink("other/current", to: "../b") }
                    try folder.rename("folder", to: "old")
                    try folder.rename("next", to: "folder")
                } catch {
                    Issue.record(error)
                }
            }
        )
        let reader = WatchingReader(
            folder.path("folder/link"),
            companion: folder.path("none"),
            with: SystemFileWatcher(calls: calls)
        )
        try folder.overwrite("b/file", "new")
        try await reader.reads("new")
    }

    /// As the disk of a server that is gone.
    @Test func `watching with inotify reports changes while a disk does not answer for another file`() async throws {
        let calls = FaultyInotifyCalls(.none)
        let watcher = SystemFileWatcher(calls: calls)
        let reader = WatchingReader(folder.path("file"), with: watcher)
        let released = WatchingReader(folder.path("released"), with: watcher)
        let gate = Gate()
        let hung = Locked<WatchingReader?>(nil)
        calls.inject(.change(number: 3) { gate.pass() })
        let thread = TestThread { [folder] in
            let reader = WatchingReader(folder.path("hung"), with: watcher)
            hung.withLock { $0 = reader }
        }
        try await eventually("the disk is asked", gate.waitingCount, is: 1)
        try folder.replace("file", "new")
        try await reader.reads("new")
        released.cancel()
        #expect(gate.waitingCount == 1)
        gate.open()
        try await eventually("the disk answers") { hung.withLock { $0 != nil } }
        try folder.replace("hung", "new")
        try await hung.withLock(\.self)?.reads("new")
        withExtendedLifetime(thread) {}
    }

    @Test(arguments: [0, 1])
    func `watching with inotify reports a change that comes before the watch is known`(step: Int) async throws {
        let calls = FaultyInotifyCalls(.none)
        let watcher = SystemFileWatcher(calls: calls)
        let first = WatchingReader(folder.path("file"), with: watcher)
        // The watches of the folders on the way, and that of the contents.
        let count = folder.path.split(separator: "/").count + 1
        calls.inject(
            .changeAfter(number: count + step) { [folder] in
                do {
                    if step == 0 { try folder.replace("file", "new") } else { try folder.overwrite("file", "new") }
                } catch {
                    Issue.record(error)
                }
                eventually("the event is delivered") { first.readings.contains { $0.file == "new" } }
            }
        )
        let second = WatchingReader(folder.path("file"), with: watcher)
        try await second.reads("new")
        withExtendedLifetime(first) {}
    }

    /// A folder with many journals has events all the time.
    @Test func `watching with inotify does not look again for a change of another file before the watch is known`()
        async throws
    {
        try folder.overwrite("other", "old")
        let calls = FaultyInotifyCalls(.none)
        let watcher = SystemFileWatcher(calls: calls)
        let other = WatchingReader(folder.path("other"), with: watcher)
        // The watches of the folders on the way, and that of the contents.
        let count = folder.path.split(separator: "/").count + 1
        calls.inject(
            .changeAfter(number: count) { [folder] in
                do {
                    try folder.overwrite("other", "new")
                } catch {
                    Issue.record(error)
                }
                eventually("the event is delivered") { other.readings.contains { $0.file == "new" } }
            }
        )
        let reader = WatchingReader(folder.path("file"), with: watcher)
        try folder.overwrite("file", "new")
        try await reader.reads("new")
        #expect(calls.watchCount == count + 1)
        withExtendedLifetime(other) {}
    }

    @Test func `watching with inotify does not leak descriptors or watches, and shares one instance`() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let reader = WatchingReader(folder.path("file"), with: SystemFileWatcher.ofProcess)
            let others = (1...3).map { WatchingReader(folder.path("\($0)"), with: SystemFileWatcher.ofProcess) }
            try folder.replace("file", "new")
            try await reader.reads("new")
            let before = try (Self.descriptors(), Self.watches())
            for number in 1...2000 {
                let path = folder.path("folder\(number % 7)/file\(number % 5)")
                WatchingReader(path, with: SystemFileWatcher.ofProcess).cancel()
            }
            let after = try (Self.descriptors(), Self.watches())
            #expect(after.0 < before.0 + Self.ownDescriptors)
            #expect(before.1 == after.1)
            // One for each folder on the way, which all share, and one for the file.
            #expect(before.1 == folder.path.split(separator: "/").count + 2)
            for reader in [reader] + others { reader.cancel() }
            #expect(try Self.watches() == 0)

            // Nor those of what a path no longer leads to.
            let last = WatchingReader(folder.path("file"), with: SystemFileWatcher.ofProcess)
            try folder.replace("file", "first")
            try await last.reads("first")
            let later = try (Self.descriptors(), Self.watches())
            for number in 1...200 {
                try folder.replace("file", "\(number)")
                try await last.reads("\(number)")
            }
            #expect(try Self.descriptors() < later.0 + Self.ownDescriptors)
            #expect(try Self.watches() == later.1)
            last.cancel()
        }
    }

    /// The number of descriptors that Dispatch and the testing library may open at any time.
    private static let ownDescriptors = 10

    private static func descriptors() throws -> Int {
        try POSIXFileSystem().names(inFolder: "/proc/self/fd").count
    }

    /// The number of watches of all instances of the process; there is one instance.
    private static func watches() throws -> Int {
        let fileSystem = InterruptRetryingFileSystem(POSIXFileSystem())
        var counts: [Int] = []
        for name in try fileSystem.names(inFolder: "/proc/self/fdinfo") {
            // The descriptor that listed the folder is closed by now.
            guard let file = try? fileSystem.openFile("/proc/self/fdinfo/\(name)", for: .reading) else { continue }
            var text: [UInt8] = []
            while case let bytes = try fileSystem.readBytes(from: file, atMost: 4096), !bytes.isEmpty { text += bytes }
            try fileSystem.closeFile(file)
            let count = String(decoding: text, as: UTF8.self).split(separator: "\n").count {
                $0.hasPrefix("inotify wd:")
            }
            if count > 0 { counts.append(count) }
        }
        #expect(counts.count <= 1)
        return counts.first ?? 0
    }
}
#endif
