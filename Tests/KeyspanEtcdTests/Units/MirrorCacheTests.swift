import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// The file with the last known values, which several stores and processes write.
@Suite(.heavy) struct MirrorCacheTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path("cache.json") }

    /// A cache that saves what a test puts into a box.
    private final class Writer: Sendable {
        let cache: MirrorCache
        let content = Locked<MirrorCache.Content?>(nil)
        let failures = Recorder<String>()

        init(_ path: String, endpoints: [String] = ["a:1"]) throws {
            cache = try MirrorCache(path: path, prefix: "app/", endpoints: endpoints.compactMap { Endpoint($0) })
            cache.begin { [weak self] in
                self?.content.withLock(\.self)
            } reporting: { [failures] error in
                failures.record(EtcdNotice.cacheFailed(store: "store", path: path, error).description)
            }
        }

        func save(_ content: MirrorCache.Content) {
            self.content.withLock { $0 = content }
            cache.flush()
        }
    }

    /// The names that hold the number of the last revision that wrote them, each in two entries of one batch.
    private static let nameCount: Int64 = 7

    /// The state of a cluster in which each revision writes two entries.
    private static func state(
        _ revision: Int64,
        epoch: Int = 0,
        age: TimeInterval = 0,
        isCurrent: Bool = true
    ) -> MirrorCache.Content {
        var table = PropertyListTable()
        for number in max(1, revision - nameCount + 1)...max(revision, 1) {
            for letter in ["a", "b"] {
                table["\(letter)\(number % nameCount)"] = .integer(PropertyListInteger(number))
            }
        }
        return MirrorCache.Content(
            table: table,
            history: .init(cluster: 7, revision: revision),
            time: Date(timeIntervalSinceNow: -age),
            epoch: epoch,
            isCurrent: isCurrent
        )
    }

    /// The contents of the file as another process reads them.
    private func content() throws -> MirrorCache.Content? { try Writer(path).cache.content }

    /// Runs a process that saves one state after the other, more or less quickly.
    private static func runWriter(_ ended: Recorder<Int>) async {
        await #expect(processExitsWith: .success) {
            let path = try #require(TestProcess.environment["KEYSPAN_TEST_CACHE_OF_PROCESSES"])
            let end = try #require(Int64(TestProcess.environment["KEYSPAN_TEST_CACHE_END"] ?? ""))
            let writer = try Writer(path)
            var revision: Int64 = 0
            while revision < end {
                revision = min(revision + (revision + Int64(getpid())) % 3 + 1, end)
                writer.save(MirrorCacheTests.state(revision))
            }
            #expect(writer.failures.values.isEmpty)
        }
        ended.record(1)
    }

    @Test func `two processes leave a whole state in the file at any time, and never an earlier one after a later one`()
        async throws
    {
        setenv("KEYSPAN_TEST_CACHE_OF_PROCESSES", path, 1)
        let end = Int64(TestLevel.current.pick(250, thorough: 5_000))
        setenv("KEYSPAN_TEST_CACHE_END", "\(end)", 1)
        let ended = Recorder<Int>()
        async let first: Void = Self.runWriter(ended)
        async let second: Void = Self.runWriter(ended)
        var last: Int64 = 0
        var reads = 0
        while ended.count < 2 {
            if let content = try content() {
                let revision = content.history.revision
                #expect(content.table == Self.state(revision).table)
                #expect(revision >= last)
                if revision != last { reads += 1 }
                last = revision
            }
            await Task.yield()
        }
        await first
        await second
        #expect(try content()?.history.revision == end)
        #expect(reads > 2, "the file was read \(reads) times while it was written")
    }

    @Test func `a later state stays`() throws {
        let (first, second) = (try Writer(path), try Writer(path))
        first.save(Self.state(20))
        second.save(Self.state(10))
        #expect(try content()?.history.revision == 20)
        second.save(Self.state(21))
        #expect(try content()?.table == Self.state(21).table)
    }

    @Test func `after a restore the earlier revision is written, once`() throws {
        let writer = try Writer(path)
        writer.save(Self.state(20))
        writer.save(Self.state(12, epoch: 1))
        #expect(try content()?.table == Self.state(12).table)
        writer.save(Self.state(11, epoch: 1))
        #expect(try content()?.history.revision == 12)
        writer.save(Self.state(13, epoch: 1))
        #expect(try content()?.history.revision == 13)
    }

    @Test func `a store without its cluster does not replace what another one has written since`() throws {
        let (behind, ahead) = (try Writer(path), try Writer(path))
        behind.save(Self.state(20, age: 10))
        ahead.save(Self.state(12, epoch: 1))
        behind.save(Self.state(21, age: 5, isCurrent: false))
        #expect(try content()?.history.revision == 12)
        // Its own last change is saved, although its values may be old.
        ahead.save(Self.state(13, epoch: 1, age: 5, isCurrent: false))
        #expect(try content()?.history.revision == 13)
    }

    @Test func `a file that cannot be written is reported once with its name, and saved later`() throws {
        let writer = try Writer(path)
        writer.save(Self.state(1))
        try folder.write("{", to: "cache.json")
        writer.save(Self.state(2))
        writer.save(Self.state(3))
        #expect(writer.failures.values.count == 1)
        #expect(writer.failures.values.first?.contains("the file \(path) with the last known values") == true)
        try folder.remove("cache.json")
        writer.save(Self.state(4))
        #expect(try content()?.table == Self.state(4).table)
    }

    @Test(arguments: [(["a:1"], true), (["b:1", "a:1"], true), (["b:1"], false), (["a:2"], false), (["A:1"], false)])
    func `one endpoint in common is enough for a start`(endpoints: [String], isUsed: Bool) throws {
        try Writer(path).save(Self.state(5))
        let cache = try Writer(path, endpoints: endpoints).cache
        #expect((cache.content != nil) == isUsed)
        #expect((cache.obstacle == nil) == isUsed)
    }
}
