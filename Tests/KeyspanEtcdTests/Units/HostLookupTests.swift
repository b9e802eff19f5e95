import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

@Suite struct HostLookupTests {
    private let executor = CallExecutor.next()

    @Test func `the system knows the addresses of names`() async throws {
        #expect(try await addresses(of: "localhost").contains("127.0.0.1"))
        #expect(try await addresses(of: "127.0.0.1") == ["127.0.0.1"])
        #expect(try await addresses(of: "0:0::1") == ["::1"])
        // Longer than a name can be, so that no server is asked.
        let error = await #expect(throws: HostLookup.Failure.self) {
            try await addresses(of: String(repeating: "x", count: 300))
        }
        #expect(error?.reason.isEmpty == false)
    }

    private func addresses(of host: String) async throws(HostLookup.Failure) -> [String] {
        try await HostLookup.ofSystem.addresses(of: host, upTo: .seconds(60), on: executor)
    }

    @Test func `a name whose servers do not answer holds up nobody who asks for another one`() async throws {
        let resolver = SlowResolver()
        let lookup = HostLookup(resolver.resolve)
        for _ in 0..<3 {
            let error = await #expect(throws: HostLookup.Failure.self) {
                try await lookup.addresses(of: "slow", upTo: .milliseconds(20), on: executor)
            }
            #expect(error == HostLookup.Failure(reason: "the name has not been found in 0.02 seconds"))
        }
        #expect(try await lookup.addresses(of: "other", upTo: .seconds(60), on: executor) == ["10.0.0.1"])
        await #expect(throws: HostLookup.Failure(reason: "no such name")) {
            try await lookup.addresses(of: "unknown", upTo: .seconds(60), on: executor)
        }
        #expect(resolver.hosts == ["slow", "other", "unknown"])
        resolver.answer.open()
    }

    /// Servers that take longer than a caller has would otherwise never be heard.
    @Test func `a late result is for the next caller`() async throws {
        let resolver = SlowResolver()
        let lookup = HostLookup(resolver.resolve)
        await #expect(throws: HostLookup.Failure.self) {
            try await lookup.addresses(of: "slow", upTo: .milliseconds(5), on: executor)
        }
        resolver.answer.open()
        try await eventually("the resolver has answered", resolver.answered, is: 1)
        #expect(try await lookup.addresses(of: "slow", upTo: .seconds(60), on: executor) == ["10.0.0.1"])
        #expect(resolver.hosts == ["slow"])
        // It is taken; the name may have other addresses by now.
        resolver.answer.open()
        #expect(try await lookup.addresses(of: "slow", upTo: .seconds(60), on: executor) == ["10.0.0.1"])
        #expect(resolver.hosts == ["slow", "slow"])
    }
}

/// A resolver that answers for the host `slow` when the test says so.
private final class SlowResolver: Sendable {
    let answer = Gate()
    private let log = Locked<(hosts: [String], answered: Int)>(([], 0))

    var hosts: [String] { log.withLock { $0.hosts } }

    /// The number of answers to the host `slow`.
    var answered: Int { log.withLock { $0.answered } }

    @Sendable func resolve(_ host: String) throws(HostLookup.Failure) -> [String] {
        log.withLock { $0.hosts.append(host) }
        if host == "slow" {
            answer.pass()
            log.withLock { $0.answered += 1 }
        }
        if host == "unknown" { throw HostLookup.Failure(reason: "no such name") }
        return ["10.0.0.1"]
    }
}

@Suite struct MemberTurnsTests {
    private let name: Endpoint

    init() throws {
        name = try #require(Endpoint("etcd:2379"))
    }

    @Test func `the preferred version of the protocol comes first, and chance decides within it`() {
        let hosts = ["::1", "10.0.0.1", "::2", "10.0.0.2", "::1"]
        var orders: Set<[String]> = []
        for _ in 0..<200 {
            let found = MemberAddress.all(of: name, at: hosts)
            #expect(found.map(\.isIPv6) == [true, true, false, false])
            #expect(Set(found.map(\.host)) == Set(hosts))
            orders.insert(found.map(\.host))
        }
        #expect(orders.count == 4)
        #expect(MemberAddress.all(of: name, at: []).isEmpty)
    }

    @Test func `an address is named where the name of the member has others`() {
        #expect(MemberAddress.all(of: name, at: ["10.0.0.1"]).map(\.description) == ["etcd:2379"])
        let several = Set(MemberAddress.all(of: name, at: ["10.0.0.1", "::1"]).map(\.description))
        #expect(several == ["etcd:2379 (10.0.0.1)", "etcd:2379 (::1)"])
    }

    @Test func `each address has a turn, and the one that was left comes last`() async throws {
        let connector = NamedMembers(hosts: ["etcd": ["10.0.0.1", "10.0.0.2", "10.0.0.3"]])
        var turns = MemberTurns(of: [name])
        for _ in 0..<50 {
            var hosts: [String] = []
            for turn in 0..<3 {
                hosts.append(try await turns.present(by: connector).host)
                #expect(try await turns.present(by: connector).host == hosts[turn])
                #expect(turns.isAtLastAddress == (turn == 2))
                if turn < 2 { turns.end(wasConnected: false) }
            }
            #expect(Set(hosts).count == 3)
            turns.end(wasConnected: true)
            var later: [String] = []
            for _ in 0..<3 {
                later.append(try await turns.present(by: connector).host)
                turns.end(wasConnected: false)
            }
            #expect(later.last == hosts.last)
        }
    }

    @Test func `a name without addresses leaves the turn to the others`() async throws {
        let connector = NamedMembers(hosts: ["a": ["10.0.0.1"], "b": [], "c": ["10.0.0.3"]])
        var turns = MemberTurns(of: ["a", "b", "c"].compactMap { Endpoint($0) })
        var seen: [String] = []
        for _ in 0..<6 {
            do throws(CallError) {
                seen.append(try await turns.present(by: connector).host)
            } catch {
                seen.append(error.description)
            }
            turns.end(wasConnected: false)
        }
        #expect(Set(seen) == ["10.0.0.1", "b:2379: the name has no address", "10.0.0.3"])
        #expect(Array(seen.prefix(3)) == Array(seen.suffix(3)))
    }
}

/// Members that have names, and take no connections.
private struct NamedMembers: MemberConnector {
    let hosts: [String: [String]]

    func addresses(of endpoint: Endpoint) async throws(CallError) -> [MemberAddress] {
        MemberAddress.all(of: endpoint, at: hosts[endpoint.host] ?? [])
    }

    func connect(to address: MemberAddress) async throws(CallError) -> any MemberConnection {
        throw CallError(kind: .unavailable, endpoint: "\(address)", reason: "connection refused")
    }
}
