#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Events of a stream, which hasten the next request and do nothing else.
@Suite(.bounded, .seeded)
struct RemoteStoreHintTests {
    private let server: TestServer
    private let (dates, clock): (TestClock, ManualClock)

    init() throws {
        dates = TestClock()
        clock = ManualClock(moving: dates)
        server = try TestServer(["limit": 0], clock: dates)
    }

    /// Makes a live store that has the document, on a stream that the test writes.
    private func makeStore(
        documents: @escaping SimulatedNetwork.Answer = SimulatedNetwork.passOn,
        _ change: (inout RemoteStoreOptions) -> Void = { _ in }
    ) async throws -> (RemoteStore, SimulatedNetwork) {
        let network = SimulatedNetwork(
            server,
            clock,
            documents: documents,
            streams: SimulatedNetwork.posted,
            isDisturbed: true
        )
        let store = try Problems().collect {
            try makeClient(of: server, over: network, clock: dates, times: clock) { options in
                (options.isLive, options.polling) = (true, .every(.seconds(900)))
                options.timeout = ManualClock.timeout
                change(&options)
            }
        }
        await clock.rest(of: 2)
        network.clearEntries()
        return (store, network)
    }

    private func set(_ limit: Int) throws -> String {
        try server.set(["limit": .number(limit)])
        return try server.tag().text
    }

    @Test func `an announced document is asked for at its own URL, and the clock goes on`() async throws {
        let (store, network) = try await makeStore()
        await clock.run(for: .seconds(700), parts: 2)
        let tag = try set(1)
        network.post(event(tag))
        await clock.rest(of: 2)
        #expect(network.documentEntries.map(\.path) == ["/settings/all/\(tag)"])
        let fields = try #require(network.documentEntries.first).request.headerFields
        #expect(fields[.ifNoneMatch] == nil && fields[.cacheControl] == nil)
        #expect(store.snapshot() == ["limit": 1] && store.status.lastProof == dates.now)
        // Its answer may be kept for days, which says nothing about the next request.
        await clock.run(for: .seconds(100), parts: 2)
        #expect(network.documentEntries.count == 1)
        await clock.run(for: .seconds(200), parts: 2)
        #expect(network.documentEntries.map(\.path) == ["/settings/all/\(tag)", "/settings/all"])
        #expect(store.status.staleSince == nil)
    }

    /// Answers at the URL of an announced document.
    enum Detour: CaseIterable {
        case missing, older, known, garbage, unchanged
    }

    @Test(arguments: Detour.allCases)
    func `a document that is not at its own URL is asked for past all caches`(_ detour: Detour) async throws {
        let (before, known) = (server.sign(["limit": -1], revision: 1), try server.document())
        let (store, network) = try await makeStore { network, request in
            guard request.path != "/settings/all" else { return try await SimulatedNetwork.passOn(network, request) }
            return switch detour {
            case .missing: .status(404)
            case .older: .body(before)
            case .known: .body(known)
            case .garbage: .body(Array("<html>".utf8))
            case .unchanged: .status(304)
            }
        }
        await clock.run(for: .seconds(2), parts: 2)
        let tag = try set(1)
        network.post(event(tag))
        await clock.rest(of: 2)
        #expect(store.snapshot() == ["limit": 1] && store.status.lastError == nil)
        #expect(network.documentEntries.map(\.path) == ["/settings/all/\(tag)", "/settings/all"])
        #expect(network.documentEntries.map { $0.request.headerFields[.cacheControl] } == [nil, "no-cache"])
        #expect(network.documentEntries.last?.request.headerFields[.ifNoneMatch] != nil)
    }

    @Test func `events bring at most one request a second, for the document of the last one`() async throws {
        let (store, network) = try await makeStore()
        var tag = ""
        for number in 1...35 {
            tag = try set(number)
            network.post(event(tag))
            await clock.run(for: .milliseconds(100), parts: 2)
        }
        await clock.run(for: .seconds(1), parts: 2)
        #expect(store.snapshot() == ["limit": 35] && network.documentEntries.last?.path == "/settings/all/\(tag)")
        #expect((3...4).contains(network.documentEntries.count))
        for (first, second) in zip(network.documentEntries, network.documentEntries.dropFirst()) {
            #expect(first.time.duration(to: second.time) >= .seconds(1))
        }
    }

    @Test func `events that bring nothing become rarer, until one brings something`() async throws {
        let (store, network) = try await makeStore()
        var number = 0
        func postBogusEvents(for seconds: Int) async {
            for _ in 0..<seconds / 5 {
                number += 1
                let digits = String(number + 0x1000_0000, radix: 16)
                network.post(event("\(digits)\(digits)\(digits)\(digits).1.9000000000000000.test-1"))
                await clock.run(for: .seconds(5), parts: 2)
            }
        }
        func attempts() -> [ManualClock.Instant] {
            network.documentEntries.filter { $0.path == "/settings/all" }.map(\.time)
        }
        await postBogusEvents(for: 4 * 3_600)
        let gaps = zip(attempts(), attempts().dropFirst()).map { $0.duration(to: $1) }
        for (index, gap) in gaps.prefix(9).enumerated() { #expect(gap >= .seconds(1 << index), "\(gaps)") }
        // From then on once in an interval, beside the requests of the clock.
        #expect((20...50).contains(gaps.count), "\(gaps)")
        let tag = try set(1)
        network.post(event(tag))
        await clock.run(for: .seconds(990), parts: 2)
        #expect(store.snapshot() == ["limit": 1])
        network.clearEntries()
        await postBogusEvents(for: 60)
        #expect(attempts().count >= 3)
    }

    @Test func `requests after an event are spread`() async throws {
        var waits: [Duration] = []
        for number in 1...12 {
            let (store, network) = try await makeStore()
            network.post(event(try set(number), spread: 100))
            let start = clock.now
            await clock.run(for: .seconds(100), parts: 2)
            #expect(store.snapshot() == ["limit": .number(number)])
            waits.append(start.duration(to: try #require(network.documentEntries.first).time))
        }
        #expect(try #require(waits.max()) <= .seconds(100))
        #expect(try #require(waits.max()) - #require(waits.min()) > .seconds(10), "\(waits)")
    }

    @Test func `a spread longer than the interval does not put the next request off`() async throws {
        let (store, network) = try await makeStore()
        network.post(event(try set(1), spread: 86_400))
        await clock.run(for: .seconds(990), parts: 2)
        #expect(network.documentEntries.count >= 1 && store.snapshot() == ["limit": 1])
    }

    @Test func `an event without a document lets the client ask, also for its group`() async throws {
        let (beta, isBeta) = (InMemoryStore(), HostNumber(0))
        let server = try TestServer(["limit": 0], clock: dates, groups: ["beta": [beta]]) { _ in
            isBeta.value == 1 ? "beta" : "all"
        }
        try beta.apply(PropertyListBatch(setting: ["limit": 5]))
        let network = SimulatedNetwork(server, clock, streams: SimulatedNetwork.posted, isDisturbed: true)
        let store = try makeClient(of: server, over: network, clock: dates, times: clock) {
            ($0.isLive, $0.timeout) = (true, ManualClock.timeout)
            $0.group = .assigned(to: ClientTraits(cohort: "x"))
        }
        await clock.run(for: .seconds(2), parts: 2)
        #expect(store.status.group == "all" && network.streamEntries.map(\.path) == ["/settings/all/changes"])
        network.clearEntries()
        isBeta.value = 1
        network.post(event("*"))
        await clock.run(for: .seconds(2), parts: 2)
        #expect(network.documentEntries.map(\.path) == ["/settings?cohort=x", "/settings/beta"])
        #expect(store.status.group == "beta" && store.snapshot() == ["limit": 5])
        #expect(network.streamEntries.map(\.path) == ["/settings/beta/changes"])
        // The new stream says what the client has.
        network.post(event(try server.tag("beta").text))
        await clock.run(for: .seconds(2), parts: 2)
        #expect(store.status.isLive && network.documentEntries.count == 2)
    }

    @Test func `an event of the values that the client has brings no request`() async throws {
        let (store, network) = try await makeStore()
        let tag = try server.tag().text.split(separator: ".")
        for (issued, revision) in [(tag[1], tag[2]), (tag[1], "7"), ("1700000000", "9")] {
            network.post(event("\(tag[0]).\(issued).\(revision).\(tag[3])"))
            await clock.run(for: .seconds(10), parts: 2)
        }
        #expect(store.status.isLive && network.documentEntries.isEmpty)
    }

    private static let state = String(repeating: "a", count: 32)

    @Test(arguments: [
        "event: other\ndata: * 0\n\n", "data: * 0\n\n", "event: changed\n\n", "event: changed\ndata\n\n", ": * 0\n\n",
        "event: changed\ndata: *\n\n", "event: changed\ndata: * -1\n\n", "event: changed\ndata: * 86401\n\n",
        "event: changed\ndata: * 0 0\n\n", "event: changed\ndata: ** 0\n\n", "event: changed\ndata: * nan\n\n",
        "event: changed\ndata: \(state).1.1. 0\n\n", "event: changed\ndata: \(state).-1.1.a 0\n\n",
        "event: changed\ndata: \(state).1.x.a 0\n\n", "event: changed\ndata: \(state)0.1.1.a 0\n\n",
        "event: changed\ndata: \(state).1.1.\(String(repeating: "k", count: 65)) 0\n\n",
        "event: changed\ndata: \(state).1.1./../.. 0\n\n", "event: changed\ndata: \"\(state).1.1.a\" 0\n\n",
        "event: changed\ndata: *\ndata:  0\n\n0",
    ])
    func `an odd event brings no request and is no life`(_ text: String) async throws {
        let (store, network) = try await makeStore()
        network.post(Array(text.utf8))
        await clock.run(for: .seconds(20), parts: 2)
        #expect(network.documentEntries.isEmpty && !store.status.isLive && store.status.lastError == nil)
    }

    @Test func `an event of what a request under way brings is no reason for another one`() async throws {
        let (store, network) = try await makeStore { network, request in
            await network.clock.passOnConnection(.seconds(5))
            return try await SimulatedNetwork.passOn(network, request)
        }
        // The stream and the first request begin together.
        network.post(event(try server.tag().text))
        await clock.run(for: .seconds(800), parts: 2)
        #expect(store.snapshot() == ["limit": 0] && store.status.isLive && network.documentEntries.isEmpty)
        // The next request of the clock is not lost with that.
        await clock.run(for: .seconds(200), parts: 2)
        #expect(network.documentEntries.map(\.path) == ["/settings/all"])
    }

    @Test func `events do not overrule the pause that the server asks for`() async throws {
        let isBusy = HostNumber(0)
        let (store, network) = try await makeStore { network, request in
            if isBusy.value == 1 { return .status(503, [.retryAfter: "60"]) }
            return try await SimulatedNetwork.passOn(network, request)
        }
        await clock.run(for: .seconds(2), parts: 2)
        isBusy.value = 1
        network.post(event(try set(1)))
        await clock.rest(of: 2)
        let first = network.documentEntries.map(\.path)
        // A server that is busy is not asked for the document of its group too.
        #expect(first.count == 1)
        for number in 2...5 {
            network.post(event(try set(number)))
            await clock.run(for: .seconds(14), parts: 2)
        }
        #expect(network.documentEntries.count == first.count)
        isBusy.value = 0
        await clock.run(for: .seconds(40), parts: 2)
        #expect(store.snapshot() == ["limit": 5] && store.status.staleSince == nil)
    }
}
#endif
