#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A live client behind someone who has no key, for a year of simulated time.
///
/// The values at the server change once a day. The client must take them within an interval wherever documents come
/// through, say that its values are stale where none do, and ask neither more nor less often than its interval says.
@Suite(BoundedTrait(looks: TestLevel.current.pick(1_200, thorough: 1_200, exhaustive: 24_000)), .seeded)
struct RemoteAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Whether documents of the server come through.
        let isPassedOn: Bool
        /// The most requests for documents and for streams in an hour.
        let documentLimit, streamLimit: Int
        /// The part of the validity for which someone can keep the client from noticing that its values are old.
        let freezeLimit: Double
        let documents: SimulatedNetwork.Answer
        let streams: SimulatedNetwork.Answer

        /// An attack on streams alone.
        init(_ name: String, streams: @escaping SimulatedNetwork.Answer, streamLimit: Int = 15, documentLimit: Int = 5)
        {
            (testDescription, isPassedOn, freezeLimit) = (name, true, 0)
            (self.documentLimit, self.streamLimit) = (documentLimit, streamLimit)
            (documents, self.streams) = (SimulatedNetwork.passOn, streams)
        }

        /// An attack on documents, after which each attempt takes a number of requests.
        init(
            _ name: String,
            documents: @escaping SimulatedNetwork.Answer,
            streams: @escaping SimulatedNetwork.Answer = SimulatedNetwork.passOn,
            freezeLimit: Double = 0,
            requests: Int = 1
        ) {
            (testDescription, isPassedOn, self.freezeLimit) = (name, false, freezeLimit)
            // A random part of ten minutes after each failure.
            (documentLimit, streamLimit) = (15 * requests, 15 * requests)
            (self.documents, self.streams) = (documents, streams)
        }
    }

    private static let attacks: [Attack] = [
        Attack("a stream drips half a line", streams: SimulatedNetwork.stream(every: heartbeat / 2) { _, _ in "d" }),
        Attack(
            "a stream has comments alone",
            streams: SimulatedNetwork.stream { _, _ in ":\n\n" }
        ),
        Attack(
            "a stream has half events",
            streams: SimulatedNetwork.stream { tag, _ in "event: changed\ndata: \(tag)\n" }
        ),
        // Events that bring nothing are asked for as often as the clock asks, beside it.
        Attack(
            "a stream announces documents that there are not",
            streams: SimulatedNetwork.stream { _, number in
                (0..<3).map { String(decoding: event(bogusTag(3 * number + $0)), as: UTF8.self) }.joined()
            },
            documentLimit: 9
        ),
        Attack(
            "a stream says again and again that groups have changed",
            streams: SimulatedNetwork.stream { _, _ in "event: changed\ndata: * 0\n\n" },
            documentLimit: 9
        ),
        Attack("a stream has a head alone", streams: SimulatedNetwork.headOnly),
        Attack("a proxy holds streams up", streams: SimulatedNetwork.silence),
        Attack("a proxy holds documents up", documents: SimulatedNetwork.silence),
        Attack("everything has a head alone", documents: SimulatedNetwork.headOnly, streams: SimulatedNetwork.headOnly),
        Attack(
            "everything is said to be unchanged",
            documents: SimulatedNetwork.status(304),
            streams: SimulatedNetwork.status(304),
            // Until the document of the client expires.
            freezeLimit: 1
        ),
        Attack("an older document is replayed", documents: SimulatedNetwork.replay(0), requests: 2),
        Attack(
            "the document of the client is replayed",
            documents: SimulatedNetwork.replay(1),
            // Until the document of the client expires, and the time for clocks that are wrong.
            freezeLimit: 8 / 7,
            requests: 2
        ),
        Attack(
            "everything redirects in a circle",
            documents: SimulatedNetwork.status(307, [.location: "/settings/all"]),
            streams: SimulatedNetwork.status(307, [.location: "/settings/all/changes"]),
            requests: 4
        ),
    ]

    private static func bogusTag(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits + ".1900000000.1900000000000.test-1"
    }

    private static let days = TestLevel.current.pick(2, thorough: 10, exhaustive: 365)
    // In a year, a long silence is awaited, so that streams take few of the steps; less than the time for a whole document,
    // whose end the clock could not tell from a pause.
    private static let timeout = Duration.seconds(TestLevel.current.pick(30, thorough: 30, exhaustive: 290))
    private static let heartbeat = timeout * 0.9
    private static let validity = Duration.seconds(TestLevel.current.pick(1, thorough: 7) * 86_400)

    @Test(arguments: attacks)
    func `a client is neither frozen nor lets itself be driven`(_ attack: Attack) async throws {
        let dates = TestClock()
        let clock = ManualClock(moving: dates)
        let options = SettingsPublisherOptions { $0.validity = Self.validity }
        let server = try TestServer(["limit": -1], clock: dates, options: options)
        let network = SimulatedNetwork(
            server,
            clock,
            documents: attack.documents,
            streams: attack.streams,
            heartbeat: Self.heartbeat
        )
        let store = try Problems().collect {
            try makeClient(of: server, over: network, clock: dates, times: clock) {
                ($0.isLive, $0.polling, $0.timeout) = (
                    true, .every(.seconds(900)), ManualClock.timeout(of: Self.timeout)
                )
                $0.clockTolerance = Self.validity / 7
            }
        }
        try network.record()
        await clock.run(for: .seconds(1_800), parts: 2)
        try server.set(["limit": 0])
        await clock.run(for: .seconds(1_800), parts: 2)
        try network.record()
        #expect(store.snapshot() == ["limit": 0] && store.status.isLive && store.status.staleSince == nil)
        network.disturb()
        var record = Record()
        for day in 1...Self.days {
            try server.set(["limit": .number(day)])
            for minute in 1...24 * 60 where minute <= 17 || minute % 60 == 0 {
                await clock.run(for: .seconds(minute <= 17 ? 60 : minute == 60 ? 43 * 60 : 3_600), parts: 2)
                if store.snapshot() == ["limit": .number(day)] { record.noteChange(day, after: minute) }
                record.note(store.status, at: (day - 1) * 24 * 60 + minute)
            }
        }
        let count = network.count
        let limit = attack.isPassedOn ? Self.days : 0
        #expect(record.takenCount == limit, "\(record)")
        #expect(count.documents <= attack.documentLimit * Self.days * 24, "\(count)")
        #expect(count.documents >= 3 * Self.days * 24, "\(count)")
        #expect(count.streams <= attack.streamLimit * Self.days * 24, "\(count)")
        if attack.isPassedOn {
            // A request because of an event, whose time was chosen before, can follow one of the clock at once.
            let isHastened = attack.documentLimit > 5
            #expect(isHastened || count.shortestGap >= .seconds(1), "\(count)")
            #expect(record.firstStale == nil && record.firstExpired == nil, "\(record)")
        } else {
            let validity = Self.validity.seconds / 60
            let limit = max(attack.freezeLimit * validity, 60)
            #expect(record.firstStale.map { Double($0) <= limit } ?? false, "\(record)")
            #expect(record.firstExpired.map { Double($0) <= validity } ?? false, "\(record)")
            #expect(store.snapshot() == ["limit": 0] && store.status.staleSince == store.status.lastProof)
            #expect(!record.isFreshAgain, "\(record)")
        }
        if TestLevel.current > .quick { print(row(attack, record, count, store.status)) }
    }

    @Test func `a longer max-age delays values by no more than an hour`() async throws {
        let dates = TestClock()
        let clock = ManualClock(moving: dates)
        let server = try TestServer(["limit": 0], clock: dates)
        let network = SimulatedNetwork(
            server,
            clock,
            documents: { network, request in
                var answer = try await SimulatedNetwork.passOn(network, request)
                answer.head.headerFields[.cacheControl] = "max-age=31536000"
                return answer
            },
            streams: SimulatedNetwork.silence,
            isDisturbed: true
        )
        let store = try Problems().collect {
            try makeClient(of: server, over: network, clock: dates, times: clock) {
                ($0.isLive, $0.polling, $0.timeout) = (true, .every(.seconds(900)), ManualClock.timeout)
            }
        }
        for hour in 1...10 * 24 {
            try server.set(["limit": .number(hour)])
            await clock.run(for: .seconds(3_600), parts: 2)
            guard case .integer(let number)? = store.snapshot()["limit"], let limit = number.int64 else { continue }
            #expect(Int(limit) >= hour - 2)
        }
        #expect((200...280).contains(network.count.documents))
    }

    /// The values and the status of the client, by the minutes of the attack.
    private struct Record {
        var takenCount = 0
        var longestWait = 0
        var lastTaken = 0
        var firstStale: Int?
        var firstExpired: Int?
        var isFreshAgain = false

        mutating func noteChange(_ day: Int, after minute: Int) {
            if lastTaken == day || minute > 17 { return }
            (takenCount, lastTaken, longestWait) = (takenCount + 1, day, max(longestWait, minute))
        }

        mutating func note(_ status: RemoteStoreStatus, at minute: Int) {
            if status.staleSince != nil, firstStale == nil { firstStale = minute }
            if status.isExpired, firstExpired == nil { firstExpired = minute }
            if firstStale != nil, status.staleSince == nil { isFreshAgain = true }
        }
    }

    private func row(
        _ attack: Attack,
        _ record: Record,
        _ count: SimulatedNetwork.Count,
        _ status: RemoteStoreStatus
    ) -> String {
        var words = "fresh"
        if let stale = record.firstStale {
            words = "stale from \(time(stale)) on"
            if let expired = record.firstExpired { words += ", expired from \(time(expired)) on" }
            if let error = status.lastError { words += " (\(error.kind))" }
        }
        let wait =
            record.takenCount > 0 ? "all taken, after \(record.longestWait) min at most" : "none could come through"
        let perDay = [count.documents, count.announced, count.streams].map { "\($0) (\($0 / Self.days) a day)" }
        return "| \(attack.testDescription) | \(Self.days) | \(perDay.joined(separator: " | ")) | \(wait) | \(words) |"
    }

    private func time(_ minutes: Int) -> String {
        minutes < 24 * 60 ? "minute \(minutes)" : "day \((Double(minutes) / 144).rounded() / 10)"
    }
}
#endif
