#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// What `UserDefaults` of swift-corelibs-foundation does on Linux, and what a store of the same suite does in its place.
@Suite(.heavy)
struct UserDefaultsOnLinuxTests {
    private let suite = Suites.makeName()

    private func open() throws -> UserDefaultsStore { try UserDefaultsStore(suiteName: suite) }

    @Test func `a store keeps what was written before a normal exit without synchronizing`() throws {
        try DefaultsProcess("set", suite, "key", "7").finish()
        #expect(try open().value(forKey: "key") == 7)
        let defaults = try #require(UserDefaults(suiteName: suite))
        #expect(defaults.integer(forKey: "key") == 7)
    }

    @Test func `a reader beside a store that synchronizes never sees an empty suite`() throws {
        let keys = "20"
        try DefaultsProcess("rewrite", suite, keys, "1").finish()
        let writer = try DefaultsProcess("rewrite", suite, keys, "150")
        let reader = try DefaultsProcess("count", suite, keys, "3000")
        #expect(try reader.finish() == "0")
        try writer.finish()
    }

    @Test func `stores that write at the same time lose no key`() throws {
        let writers = try ["a", "b", "c"].map { try DefaultsProcess("add", suite, $0, "400") }
        for writer in writers { try writer.finish() }
        let table = try open().snapshot()
        let missing = ["a", "b", "c"].flatMap { name in (0..<400).map { "\(name)\($0)" } }.filter { table[$0] == nil }
        #expect(missing.isEmpty)
    }

    @Test func `a store keeps its keys while UserDefaults itself writes the suite`() async throws {
        let store = try open()
        for round in 0..<20 {
            let other = try DefaultsProcess("setPlainly", suite, "theirs\(round)", "1")
            try store.apply(PropertyListBatch(.set(1, key: "ours\(round)")))
            try await store.synchronize()
            try other.finish()
        }
        let names = (0..<20).flatMap { ["ours\($0)", "theirs\($0)"] }
        try await eventually("the store has all keys", names.filter { store.value(forKey: $0) != 1 }, is: [])
        try store.refresh()
        #expect(try PropertyListData.parseTable(contents(of: suite)).sortedKeys == names.sorted())
    }

    @Test(arguments: [0, 1, 40, 100])
    func `a truncated file is not opened and not overwritten`(length: Int) throws {
        _ = Suites.folder
        let whole = try PropertyListSerialization.data(
            fromPropertyList: ["key": "a value that is long enough"],
            format: .xml,
            options: 0
        )
        let path = Suites.path(of: suite)
        try whole.prefix(length).write(to: URL(filePath: path))
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.code == .cannotOpen)
        #expect(error?.underlying is FileStoreError)
        let problems = Recorder<Defaults.Problem>()
        try Defaults.withProblemHandler({ problems($0) }) {
            let store = UserDefaultsStore.of(try #require(UserDefaults(suiteName: suite)))
            try store.apply(PropertyListBatch(.set(1, key: "key")))
            #expect(store.value(forKey: "key") == 1)
            #expect(throws: StoreError.self) { try store.synchronize() }
        }
        #expect(problems.count == 1)
        #expect(try Data(contentsOf: URL(filePath: path)) == whole.prefix(length))
    }

    @Test func `a store waits for a file that another program is writing`() throws {
        let (path, whole) = (Suites.path(of: suite), try Self.propertyList(["theirs": 1]))
        try whole.prefix(20).write(to: URL(filePath: path))
        let problems = Recorder<Defaults.Problem>()
        let store = try Defaults.withProblemHandler({ problems($0) }) {
            let defaults = try UserDefaultsReference(#require(UserDefaults(suiteName: suite)))
            return try UserDefaultsStore(opening: defaults, isShared: true) { _ in
                // A failure shows in the store, which does not find the value.
                try? whole.write(to: URL(filePath: path))
            }
        }
        #expect(store.value(forKey: "theirs") == 1)
        #expect(problems.count == 0)
    }

    /// The program ends with the third pause, or never.
    @Test(arguments: [true, false])
    func `to synchronize waits for a program that is writing the file, and not for ever`(ends: Bool) throws {
        let (path, whole) = (Suites.path(of: suite), try Self.propertyList(["theirs": 1]))
        try whole.write(to: URL(filePath: path))
        let store = try PropertyListFileStore(
            path: path,
            format: .binary,
            options: SuiteFile.options,
            seams: .ofProcess()
        )
        let pauses = Recorder<Duration>()
        let reference = try UserDefaultsReference(#require(UserDefaults(suiteName: suite)))
        let source = SynchronizingSource(store, of: reference) { pause in
            pauses(pause)
            // A failure shows in the count.
            if ends, pauses.count == 3 { try? whole.write(to: URL(filePath: path)) }
        }
        try whole.prefix(20).write(to: URL(filePath: path))
        if ends {
            try source.refresh()
            #expect(pauses.count == 3 && store.value(forKey: "theirs") == 1)
        } else {
            let error = #expect(throws: StoreError.self) { try source.refresh() }
            #expect(error?.code == .notDurable && pauses.count == 49)
        }
    }

    @Test func `a store that began without its file takes it over when it is whole, and loses nothing`() throws {
        let (path, whole) = (Suites.path(of: suite), try Self.propertyList(["theirs": 1, "both": 1]))
        try whole.prefix(20).write(to: URL(filePath: path))
        let problems = Recorder<Defaults.Problem>()
        let heard = Recorder<PropertyListChange.Entry>()
        try Defaults.withProblemHandler({ problems($0) }) {
            let store = UserDefaultsStore.of(try #require(UserDefaults(suiteName: suite)))
            // Not all keys: tests that run at the same time register defaults, which every store of the process sees.
            let observation = store.observe(.named(["theirs", "ours", "both"]), initial: false) { change in
                for entry in change.entries { heard(entry) }
            }
            var batch = PropertyListBatch(.set(2, key: "ours"))
            batch.set(2, forKey: "both")
            try store.apply(batch)
            let count = heard.count
            // Nobody else gets a store without the values of the file meanwhile.
            #expect(throws: StoreError.self) { try open() }
            try whole.write(to: URL(filePath: path))
            try store.synchronize()
            #expect(store.value(forKey: "theirs") == 1)
            #expect(store.value(forKey: "ours") == 2)
            #expect(store.value(forKey: "both") == 2)
            // Changes found in the file are delivered in the background.
            eventually("an observer receives the value in the file", heard.count) { $0 > count }
            #expect(heard.values.dropFirst(count) == [.init(key: "theirs", old: nil, new: 1)])
            observation.cancel()
        }
        #expect(problems.count == 1)
        let again = try open()
        #expect(["theirs", "ours", "both"].map { again.value(forKey: $0) } == [1, 2, 2])
    }

    @Test func `a store that began without its file takes it over by itself`() async throws {
        let (path, whole) = (Suites.path(of: suite), try Self.propertyList(["theirs": 1]))
        try whole.prefix(20).write(to: URL(filePath: path))
        let store = try Defaults.withProblemHandler({ _ in }) {
            UserDefaultsStore.of(try #require(UserDefaults(suiteName: suite)))
        }
        #expect(store.value(forKey: "theirs") == nil)
        try whole.write(to: URL(filePath: path))
        try await eventually("the store reads the file", store.value(forKey: "theirs"), is: 1)
    }

    private static func propertyList(_ values: [String: Int]) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
    }

    @Test func `what another process writes arrives by itself`() async throws {
        let store = try open()
        let heard = Recorder<PropertyListValue?>()
        let observation = store.observe(.named(["key"]), initial: false) { heard($0["key"]?.new) }
        try DefaultsProcess("set", suite, "key", "1").finish()
        try await eventually("an observer receives the write of a store", heard.last, is: 1)
        try DefaultsProcess("setPlainly", suite, "key", "2").finish()
        try await eventually("an observer receives the write of UserDefaults", heard.last, is: 2)
        observation.cancel()
    }

    @Test func `to synchronize one suite saves no other`() throws {
        let other = Suites.makeName()
        try DefaultsProcess("saveBeside", suite, other).finish()
        #expect(try PropertyListData.parseTable(contents(of: suite)) == ["ours": 1])
        #expect(!FileManager.default.fileExists(atPath: Suites.path(of: other)))
    }

    @Test func `didChangeNotification is posted for what this and other processes change`() async throws {
        let defaults = try #require(UserDefaults(suiteName: suite))
        let store = UserDefaultsStore.of(defaults)
        let posted = Recorder<Void>()
        let token = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification,
            object: nil,
            queue: nil
        ) { [suite] notification in
            guard let object = notification.object as? UserDefaults else { return }
            guard UserDefaultsIdentity(of: UserDefaultsReference(object)) == .suite(UTF8Text(suite)) else { return }
            posted(())
        }
        try store.apply(PropertyListBatch(.set(1, key: "key")))
        try await eventually("the notification of this process", posted.count, is: 1)
        try DefaultsProcess("set", suite, "other", "1").finish()
        try await eventually("the notification of another process", posted.count) { $0 >= 2 }
        NotificationCenter.default.removeObserver(token)
    }

    @Test func `the standard store has the file of UserDefaults.standard`() throws {
        let folder = try TemporaryFolder()
        #expect(try DefaultsProcess("standard", suite, in: folder.path).finish() == "1")
        let bytes = try folder.bytes(of: "KeyspanUserDefaultsProcess.plist")
        #expect(try PropertyListData.parseTable(bytes) == ["theirs": 1, "ours": 2])
    }

    @Test func `launch arguments are read`() throws {
        let output = try DefaultsProcess("arguments", suite, "-port", "8080", "-verbose", "YES").finish()
        #expect(output == "8080 true")
    }

    @Test func `a new file is for its owner alone, and binary`() throws {
        let store = try open()
        try store.apply(PropertyListBatch(.set(1, key: "key")))
        try store.refresh()
        let attributes = try FileManager.default.attributesOfItem(atPath: Suites.path(of: suite))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try contents(of: suite).starts(with: Array("bplist00".utf8)))
    }

    private func contents(of suite: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: Suites.path(of: suite))))
    }
}
#endif
