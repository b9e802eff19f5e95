import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// The numbers of states, and the times of documents.
@Suite(.bounded)
struct PublisherRevisionTests {
    private static let day = 86_400.0
    private static let largest = (1 << 53) - 1

    // MARK: - Milliseconds

    @Test func `revisions are the time, rise by one within a millisecond, and rise through restarts`() throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 0], clock: clock)
        var last = try server.message().revision
        #expect(last == Int64(clock.now.timeIntervalSince1970 * 1_000) && server.publisher.revision == last)
        for value in 1...5 {
            server.defaults[TestKeys.limit] = value
            let revision = try server.message().revision
            #expect(revision == last + 1)
            last = revision
        }
        clock.advance(by: 1)
        let other = try TestServer(["limit": 5], clock: clock)
        let (here, there) = (try server.message(), try other.message())
        #expect(there.revision == here.revision + 995 && here.state == there.state)
        server.defaults[TestKeys.limit] = 6
        #expect(try server.message().revision == there.revision)
    }

    @Test func `only what clients receive raises the revision`() throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 1, "port": 2], clock: clock)
        let first = try server.message()
        clock.advance(by: 1)
        try Problems().collect { try server.set(["internal": "x", "unknown": 1, "limit": 1, "port": 0]) }
        #expect(try server.message() == first)
    }

    /// A day, and a quarter of the validity.
    private static let lead = 2.75 * day

    @Test(arguments: [1, 3_600, lead - 1, lead, lead + 1, 30 * day])
    func `a clock that was far ahead is not followed further`(_ seconds: Double) throws {
        let (clock, problems) = (TestClock(), Problems())
        clock.advance(by: seconds)
        let server = try TestServer(["limit": 1], clock: clock)
        let first = try server.message().revision
        clock.advance(by: -seconds)
        problems.collect { server.defaults[TestKeys.limit] = 2 }
        let message = try server.message()
        #expect(message.values == ["limit": 2])
        if seconds < Self.lead {
            #expect(message.revision == first + 1 && problems.kinds == [])
        } else {
            #expect(message.revision == Int64(clock.now.timeIntervalSince1970 * 1_000))
            #expect(problems.kinds == ["revisionNotRaised"])
            #expect(problems.values.first?.description.contains("\(message.revision) after \(first)") == true)
        }
        // Once is enough.
        problems.collect { server.defaults[TestKeys.limit] = 3 }
        #expect(try server.message().revision == message.revision + 1 && problems.kinds.count <= 1)
    }

    @Test func `a clock that was far ahead is given up without a change, too`() throws {
        let (clock, problems) = (TestClock(), Problems())
        clock.advance(by: 30 * Self.day)
        let server = try TestServer(["limit": 1], clock: clock)
        clock.advance(by: -30 * Self.day)
        let message = try problems.collect { try server.message() }
        #expect(message.revision == Int64(clock.now.timeIntervalSince1970 * 1_000))
        #expect(problems.kinds == ["revisionNotRaised"])
    }

    // MARK: - Numbers of the host

    @Test func `a number of the host is never counted up`() throws {
        let number = HostNumber(0)
        let (server, problems) = (try TestServer(["limit": 0], options: number.options), Problems())
        for (index, value) in [0, 1, 5, 5, 6, Self.largest].enumerated() {
            number.value = Int64(value)
            problems.collect { server.defaults[TestKeys.limit] = index + 1 }
            let message = try server.message()
            #expect(message.revision == value && message.values == ["limit": .number(index + 1)])
            #expect(server.get(unless: try server.tag().entityTag).status == 304)
        }
        // The host did not raise it twice.
        #expect(problems.kinds == ["revisionNotRaised", "revisionNotRaised"])
    }

    @Test func `a number without a change is the revision from the next reading on`() throws {
        let number = HostNumber(1)
        let server = try TestServer(["limit": 0], options: number.options)
        number.value = 2
        #expect(try server.message().revision == 1)
        try server.set(["internal": "x", "unknown": 1])
        let tag = try server.tag()
        try Problems().collect { try server.set(["limit": "no"]) }
        #expect(try server.message().revision == 2)
        #expect(server.get(unless: tag.entityTag).status == 304)
    }

    @Test(arguments: [Int64.max, .min, -1, 1 << 53])
    func `a number that no document can have keeps the values before, and is reported once an hour`(_ bad: Int64) throws
    {
        let (number, clock, problems) = (HostNumber(40), TestClock(), Problems())
        let server = try TestServer(["limit": 1], clock: clock, options: number.options)
        number.value = bad
        for value in 2...3 { problems.collect { server.defaults[TestKeys.limit] = value } }
        let message = try problems.collect { try server.message() }
        #expect(message.values == ["limit": 1] && message.revision == 40)
        #expect(problems.kinds == ["revisionRefused"] && problems.values.first?.description.contains("\(bad)") == true)
        clock.advance(by: 3_600)
        problems.collect { server.defaults[TestKeys.limit] = 4 }
        #expect(problems.kinds.count == 2)
        // Without another change.
        number.value = 41
        let later = try problems.collect { try server.message() }
        #expect(later.values == ["limit": 4] && later.revision == 41 && problems.kinds.count == 2)
    }

    @Test func `a host without a number at the start has no documents until it has one`() throws {
        let number = HostNumber(-1)
        let server = try Problems().collect { try TestServer(["limit": 1], options: number.options) }
        #expect(server.publisher.revision == 0)
        for path in ["/settings/all", "/settings/all/changes"] { #expect(server.get(path).status == 503) }
        number.value = 7
        let message = try server.message()
        #expect(message.values == ["limit": 1] && message.revision == 7)
        #expect(server.get("/settings/all/changes").status == 200)
    }

    @Test func `a number that falls is taken and reported`() throws {
        let (number, problems) = (HostNumber(40), Problems())
        let server = try TestServer(["limit": 1], options: number.options)
        number.value = 7
        problems.collect { server.defaults[TestKeys.limit] = 2 }
        let message = try server.message()
        #expect(message.revision == 7 && message.values == ["limit": 2])
        #expect(
            problems.kinds == ["revisionNotRaised"] && problems.values.first?.description.contains("7 after 40") == true
        )
        number.value = 8
        problems.collect { server.defaults[TestKeys.limit] = 3 }
        #expect(problems.kinds.count == 1)
    }

    @Test(arguments: 0...3)
    func `values and the number of the host belong together`(_ delay: Int) throws {
        let source = Locked<(number: Int64, calls: Int, isArmed: Bool)>((40, 0, false))
        let base = Locked<InMemoryStore?>(nil)
        var options = SettingsPublisherOptions()
        options.revisions = .numbered {
            let isChange = source.withLock { source -> Bool in
                guard source.isArmed else { return false }
                source.calls += 1
                if source.calls != delay + 1 { return false }
                source.number = 42
                return true
            }
            // The source has changed once more when it is asked.
            if isChange { try? base.withLock(\.self)?.apply(PropertyListBatch(.set(2, key: "limit"))) }
            return source.withLock(\.number)
        }
        let server = try TestServer(["limit": 0], options: options)
        base.withLock { $0 = server.base }
        source.withLock { $0 = (41, 0, true) }
        server.defaults[TestKeys.limit] = 1
        let message = try server.message()
        let expected: (Int64, PropertyListDictionary) =
            source.withLock(\.calls) > delay ? (42, ["limit": 2]) : (41, ["limit": 1])
        #expect(message.revision == expected.0 && message.values == expected.1)
    }

    @Test func `a number that changes during the reading makes the stores be read again`() throws {
        let number = HostNumber(40)
        let (overlay, silent) = (ScriptedStore(), InMemoryStore(["limit": 1]))
        let server = try TestServer(["limit": 1], groups: ["a": [overlay]], options: number.options)
        overlay.beforeNext(.snapshot) {
            number.value = 41
            try? silent.apply(PropertyListBatch(.set(2, key: "limit")))
        }
        let before = overlay.readingCount
        server.defaults[TestKeys.limit] = 2
        #expect(overlay.readingCount == before + 2)
        #expect(try server.message("a").revision == 41)
    }

    @Test func `a source that never rests is read a bounded number of times`() throws {
        let calls = Locked<Int64>(0)
        let store = ScriptedStore(["limit": 1])
        var options = SettingsPublisherOptions()
        options.revisions = .numbered {
            calls.withLock { calls in
                calls += 1
                return calls
            }
        }
        let server = try TestServer(groups: ["a": [store]], options: options)
        #expect(store.readingCount <= 16)
        #expect(try server.message("a").values == ["limit": 1])
    }

    // MARK: - Threads

    private static var thread: String { "\(pthread_self())" }

    @Test func `a writer returns although other threads change the stores all the time`() async throws {
        let writer = Locked<String?>(nil)
        let (overlay, all, own) = (ScriptedStore(), Recorder<Void>(), Recorder<Void>())
        let other = InMemoryStore()
        let server = try TestServer(groups: ["a": [overlay], "b": [other]])
        overlay.after(.snapshot) {
            guard let writer = writer.withLock(\.self), all.count < 500 else { return }
            all.record(())
            if writer == Self.thread { own.record(()) }
            let change = PropertyListBatch(.set(.number(all.count), key: "limit"))
            TestThread { try? other.apply(change) }.join()
        }
        let count = try await TestThread.run {
            writer.withLock { $0 = Self.thread }
            server.defaults[TestKeys.title] = "a"
            defer { writer.withLock { $0 = nil } }
            return own.count
        }
        // A task reads the later changes.
        #expect(count == 8)
        server.defaults[TestKeys.title] = "b"
        try await eventually("the last value is published", try server.message("b").values["title"], is: "b")
    }

    @Test func `a change during a reading of another thread is read by that thread`() async throws {
        let overlay = ScriptedStore()
        let server = try TestServer(["limit": 1], groups: ["a": [overlay]])
        overlay.hold(.snapshot)
        let first = Task { try await TestThread.run { server.defaults[TestKeys.limit] = 2 } }
        try await eventually("the first thread reads", overlay.heldCount, is: 1)
        // Returns without a reading.
        server.defaults[TestKeys.title] = "b"
        #expect(try server.message("a").values == ["limit": 1])
        overlay.release(.snapshot)
        try await first.value
        let message = try server.message("a")
        #expect(message.values == ["limit": 2, "title": "b"])
    }

    @Test func `a document is given away although the revision rises while it is signed`() throws {
        let overlay = InMemoryStore(["limit": 0])
        let state = Locked<(isOn: Bool, writes: Int)>((false, 0))
        let now: @Sendable () -> Date = {
            let write = state.withLock { state -> Int? in
                guard state.isOn, state.writes < 200 else { return nil }
                state.isOn = false
                state.writes += 1
                return state.writes
            }
            if let write {
                try? overlay.apply(PropertyListBatch(.set(.number(write), key: "limit")))
                state.withLock { $0.isOn = true }
            }
            return Date(timeIntervalSince1970: 1_800_000_000)
        }
        let signer = DocumentSigner(
            name: TestServer.name,
            key: try .generate(id: "a"),
            validity: .seconds(86_400),
            now: now
        )
        let publisher = try SettingsPublisher(
            TestKeys.all,
            InMemoryStore(["limit": 1]),
            signer,
            ["a": [overlay]],
            SettingsPublisherOptions()
        ) { _ in "all" }
        state.withLock { $0.isOn = true }
        let response = publisher.respond(to: .init(method: .get, scheme: nil, authority: nil, path: "/settings/a"))
        let writes = state.withLock(\.writes)
        #expect(response.status == 200 && (1..<10).contains(writes))
        state.withLock { $0.isOn = false }
        let later = publisher.respond(to: .init(method: .get, scheme: nil, authority: nil, path: "/settings/a"))
        let signed = try SignedMessage(reading: try #require(later.bytes), atMost: 1 << 16)
        #expect(try SettingsDocument(content: signed.content).values == ["limit": .number(writes)])
    }

    // MARK: - Times

    @Test(arguments: [4, 7, 400, 7 * 86_400, 1, 100 * 365 * 86_400])
    func `a document is issued at the beginning of a quarter of its validity`(_ validity: Int) throws {
        let clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000.75))
        let server = try TestServer(["limit": 1], clock: clock, options: .init { $0.validity = .seconds(validity) })
        let validity = min(max(Double(validity), 4), 3_650 * Self.day)
        let quarter = (validity / 4).rounded(.down)
        for offset in [0, 0.25, 1, quarter / 3, quarter, 2.5 * quarter] {
            clock.advance(by: offset)
            let times = try server.message().validity
            #expect(times.lowerBound <= clock.now && clock.now < times.lowerBound.addingTimeInterval(quarter))
            #expect(times.upperBound == times.lowerBound.addingTimeInterval(validity))
            #expect(times.lowerBound.timeIntervalSince1970.truncatingRemainder(dividingBy: quarter) == 0)
        }
    }

    @Test func `a document is signed anew in each quarter of its validity, and once in it`() throws {
        let clock = TestClock(Date(timeIntervalSince1970: 302_400 * 5_000))
        let server = try TestServer(["limit": 1], clock: clock)
        func document() throws -> [UInt8] { try server.document() }
        /// Whether a document is the one that was signed before, and not an equal one.
        func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
            one.withUnsafeBytes { one in other.withUnsafeBytes { one.baseAddress == $0.baseAddress } }
        }
        let (first, tag) = (try document(), try server.tag())
        clock.advance(by: 151_199)
        #expect(isSame(try document(), first))
        #expect(server.get(unless: tag.entityTag).status == 304)
        clock.advance(by: 1)
        let second = try document()
        #expect(isSame(try document(), second) && !isSame(second, first))
        let (old, new) = (try server.read(first), try server.read(second))
        #expect(old.revision == new.revision && old.state == new.state && old.values == new.values)
        #expect(new.validity.lowerBound == clock.now && old.validity.upperBound < new.validity.upperBound)
        #expect(server.get(unless: tag.entityTag).status == 200)
        #expect(try server.tag().hasSameValues(as: tag))
    }
}
