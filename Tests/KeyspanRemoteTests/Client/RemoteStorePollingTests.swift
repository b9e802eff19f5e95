#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// When a store asks its server by itself, and what its status says meanwhile.
@Suite(.bounded, .seeded)
struct RemoteStorePollingTests {
    private let server: TestServer
    private let (dates, clock): (TestClock, ManualClock)

    init() throws {
        dates = TestClock()
        clock = ManualClock(moving: dates)
        server = try TestServer(["limit": 0], clock: dates)
    }

    private func makeStore(
        _ polling: RemoteStoreOptions.Polling,
        documents: @escaping SimulatedNetwork.Answer = SimulatedNetwork.passOn,
        isLive: Bool = false
    ) throws -> (RemoteStore, SimulatedNetwork) {
        let network = SimulatedNetwork(server, clock, documents: documents, isDisturbed: true)
        let store = try Problems().collect {
            try makeClient(of: server, over: network, clock: dates, times: clock) { options in
                (options.isLive, options.polling, options.timeout) = (isLive, polling, ManualClock.timeout)
                options = options.clamped
            }
        }
        return (store, network)
    }

    private func gaps(_ network: SimulatedNetwork) -> [Duration] {
        zip(network.documentEntries, network.documentEntries.dropFirst()).map { $0.time.duration(to: $1.time) }
    }

    // MARK: - The interval

    /// An interval, the `max-age` of the answers, and the pauses between two requests without chance.
    private static let intervals: [(polling: Duration, age: String?, pause: Double)] = [
        (.seconds(900), nil, 900), (.seconds(60), nil, 60), (.seconds(1), nil, 60),
        (.seconds(900), "max-age=3600", 3_600),
        (.seconds(900), "public, max-age=60", 900), (.seconds(60), "Max-Age=900000", 3_600),
        (.seconds(60), "no-store", 60),
        (.seconds(1 << 40), nil, 30 * 86_400),
    ]

    @Test(arguments: intervals)
    func `a store asks at its interval, with a tenth of chance`(
        _ interval: (polling: Duration, age: String?, pause: Double)
    ) async throws {
        let (store, network) = try makeStore(.every(interval.polling)) { network, request in
            var answer = try await SimulatedNetwork.passOn(network, request)
            answer.head.headerFields[.cacheControl] = interval.age
            return answer
        }
        await clock.run(for: .seconds(interval.pause * 40), parts: 1)
        let found = gaps(network).map(\.seconds)
        #expect((36...45).contains(found.count))
        #expect(found.allSatisfy { (0.9...1.1).contains($0 / interval.pause) }, "\(found)")
        #expect(try #require(found.max()) - (try #require(found.min())) > interval.pause / 50)
        #expect(network.streamEntries.isEmpty && store.status.staleSince == nil)
    }

    @Test func `a store that asks by hand only does nothing by itself`() async throws {
        let (store, network) = try makeStore(.manually)
        await clock.run(for: .seconds(10 * 86_400), parts: 1)
        #expect(network.documentEntries.isEmpty && store.status.staleSince == nil)
        try await store.fetch()
        await clock.run(for: .seconds(10 * 86_400), parts: 1)
        #expect(network.documentEntries.count == 1 && store.snapshot() == ["limit": 0])
        // No proof is expected, so none is late.
        #expect(store.status.staleSince == nil && store.status.isExpired)
    }

    @Test func `a store that asks by hand asks at intervals while it is live`() async throws {
        let (store, network) = try makeStore(.manually)
        await clock.rest(of: 1)
        store.isLive = true
        await clock.run(for: .seconds(9_000), parts: 2)
        #expect(gaps(network).allSatisfy { (810...990).contains($0.seconds) } && (9...12).contains(gaps(network).count))
        #expect(network.streamEntries.count == 1 && store.status.isLive)
        store.isLive = false
        await clock.rest(of: 1)
        network.clearEntries()
        await clock.run(for: .seconds(9_000), parts: 1)
        #expect(network.documentEntries.isEmpty && network.streamEntries.isEmpty && !store.status.isLive)
    }

    @Test func `a live store asks at its interval too`() async throws {
        let (store, network) = try makeStore(.every(.seconds(120)), isLive: true)
        await clock.run(for: .seconds(3_600), parts: 2)
        #expect(gaps(network).allSatisfy { (108...132).contains($0.seconds) } && gaps(network).count >= 27)
        #expect(store.status.isLive && network.streamEntries.count == 1)
    }

    // MARK: - Failures

    @Test func `the pauses after failures grow at random, and begin anew after a success`() async throws {
        let isFailing = HostNumber(1)
        let (store, network) = try makeStore(.every(.seconds(900))) { network, request in
            if isFailing.value == 1 { throw ScriptedTransport.Failure() }
            return try await SimulatedNetwork.passOn(network, request)
        }
        await clock.run(for: .seconds(40_000), parts: 1)
        let found = gaps(network)
        for (index, gap) in found.enumerated() { #expect(gap <= .seconds(min(5 << min(index, 10), 600)), "\(found)") }
        #expect(try #require(found.max()) > .seconds(300))
        #expect(store.status.lastError?.kind == .unreachable && store.status.lastProof == nil)
        isFailing.value = 0
        await clock.run(for: .seconds(600), parts: 1)
        #expect(store.snapshot() == ["limit": 0] && store.status.lastError == nil)
        isFailing.value = 1
        network.clearEntries()
        await clock.run(for: .seconds(1_000), parts: 1)
        #expect(try #require(gaps(network).first) <= .seconds(5))
    }

    private static let requestedPauses: [(text: String, first: Duration, last: Duration)] = [
        ("60", .seconds(60), .seconds(90)), ("86400", .seconds(3_600), .seconds(5_400)), ("0", .zero, .seconds(5)),
        ("Fri, 31 Dec 2027 23:59:59 GMT", .zero, .seconds(5)), ("99999999999", .seconds(3_600), .seconds(5_400)),
        ("-5", .zero, .seconds(5)),
    ]

    @Test(arguments: requestedPauses) func `a pause that the server asks for is kept, bounded, and differs by client`(
        _ requested: (text: String, first: Duration, last: Duration)
    ) async throws {
        var pauses: Set<Duration> = []
        for _ in 0..<20 {
            let clock = ManualClock()
            let transport = ClosureTransport { _, _ in .status(503, [.retryAfter: requested.text]) }
            let store = try Problems().collect {
                try makeClient(of: server, over: transport, times: clock) {
                    ($0.polling, $0.timeout) = (.every(.seconds(900)), ManualClock.timeout)
                }
            }
            await clock.rest(of: 1)
            try await eventually("the store pauses", clock.pauses.count, is: 1)
            let pause = try #require(clock.pauses.first)
            #expect(requested.first <= pause && pause <= requested.last)
            pauses.insert(pause)
            withExtendedLifetime(store) {}
        }
        #expect(pauses.count > 10)
    }

    @Test func `a pause that the server has asked for ends with a success`() async throws {
        let answers = HostNumber(0)
        let (store, network) = try makeStore(.every(.seconds(60))) { network, request in
            defer { answers.value += 1 }
            switch answers.value {
            case 0: return .status(503, [.retryAfter: "1000"])
            case 1: return try await SimulatedNetwork.passOn(network, request)
            default: throw ScriptedTransport.Failure()
            }
        }
        await clock.run(for: .seconds(1_500 + 66 + 5), parts: 1)
        let found = gaps(network)
        #expect(found[0] >= .seconds(1_000) && found[1] <= .seconds(66) && found[2] <= .seconds(5), "\(found)")
        #expect(store.status.lastError != nil)
    }

    // MARK: - The status

    @Test func `values are stale when a proof is late by half an interval, and fresh with the next one`() async throws {
        let (store, _) = try makeStore(.every(.seconds(900)))
        await clock.rest(of: 1)
        let proof = dates.now
        #expect(store.status.lastProof == proof && store.status.staleSince == nil)
        // The machine sleeps: dates pass, and the clock that measures pauses does not.
        dates.advance(by: 1_350)
        #expect(store.status.staleSince == nil)
        dates.advance(by: 1)
        #expect(store.status.staleSince == proof && store.status.lastError == nil)
        try await store.fetch()
        #expect(store.status.staleSince == nil && store.status.lastProof == dates.now)
    }

    @Test func `a longer interval of the server makes values stale later`() async throws {
        let (store, _) = try makeStore(.every(.seconds(60))) { network, request in
            var answer = try await SimulatedNetwork.passOn(network, request)
            answer.head.headerFields[.cacheControl] = "max-age=1000"
            return answer
        }
        await clock.rest(of: 1)
        dates.advance(by: 1_500)
        #expect(store.status.staleSince == nil)
        dates.advance(by: 1)
        #expect(store.status.staleSince != nil)
    }

    @Test func `a failure makes values stale since the last proof, and their end makes them expired`() async throws {
        let isFailing = HostNumber(0)
        let (store, _) = try makeStore(.every(.seconds(900))) { network, request in
            if isFailing.value == 1 { throw ScriptedTransport.Failure() }
            return try await SimulatedNetwork.passOn(network, request)
        }
        await clock.run(for: .seconds(3_600), parts: 1)
        #expect(store.status.staleSince == nil && !store.status.isExpired)
        let proof = try #require(store.status.lastProof)
        isFailing.value = 1
        await clock.run(for: .seconds(1_000), parts: 1)
        #expect(store.status.staleSince == proof && !store.status.isExpired)
        let fetched = store.engine.state.withLock(\.fetched)
        let expires = try #require(fetched?.validity.upperBound)
        await clock.run(for: .seconds(expires.timeIntervalSince(dates.now) - 1), parts: 1)
        #expect(!store.status.isExpired)
        await clock.run(for: .seconds(2), parts: 1)
        #expect(store.status.isExpired && store.status.staleSince == proof && store.snapshot() == ["limit": 0])
        isFailing.value = 0
        await clock.run(for: .seconds(700), parts: 1)
        #expect(!store.status.isExpired && store.status.staleSince == nil)
    }

    @Test func `before the first proof there is no time since when values are stale`() async throws {
        let (store, _) = try makeStore(.every(.seconds(900))) { _, _ in throw ScriptedTransport.Failure() }
        await clock.run(for: .seconds(100), parts: 1)
        #expect(store.status.lastError?.kind == .unreachable)
        #expect(store.status.staleSince == nil && store.status.lastProof == nil && !store.status.isExpired)
        #expect(store.status.description.hasPrefix("no values (unreachable: the server cannot be reached"))
    }

    @Test func `the status is one line`() {
        var status = RemoteStoreStatus()
        #expect("\(status)" == "no values")
        status.revision = 11
        status.lastProof = Date(timeIntervalSince1970: 1_800_000_000)
        #expect("\(status)" == "revision 11, proved 2027-01-15T08:00:00Z")
        (status.fetchedRevision, status.isActivationPending, status.isLive) = (12, true, true)
        (status.staleSince, status.isExpired) = (status.lastProof, true)
        status.lastError = RemoteStoreError(.malformed, "it is cut", "fetch it again", store: "s")
        let stale = "stale since 2027-01-15T08:00:00Z, expired"
        #expect("\(status)" == "revision 11, revision 12 fetched, live, \(stale) (malformed: it is cut)")
    }
}
#endif
