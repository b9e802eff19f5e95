import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Servers of one source, with clocks that agree or with the numbers of the source.
@Suite
struct SeveralServersTests {
    private func servers(
        _ values: PropertyListTable = [:],
        clock: TestClock = TestClock(),
        options: SettingsPublisherOptions = SettingsPublisherOptions(),
        overlays: [InMemoryStore] = [InMemoryStore(), InMemoryStore()]
    ) throws -> [TestServer] {
        try overlays.map { overlay in
            try TestServer(
                values,
                key: .init(id: "a", rawRepresentation: Array(0..<32)),
                clock: clock,
                groups: ["x": [overlay]],
                options: options
            )
        }
    }

    @Test(arguments: ["all", "x"])
    func `servers with the same values and numbers have the same tag, and the same bytes but for the signature`(
        _ group: String
    ) throws {
        let (clock, number) = (TestClock(Date(timeIntervalSince1970: 302_400 * 5_000)), HostNumber(7))
        let first = try servers(["limit": 1, "title": "é"], clock: clock, options: number.options)[0]
        let bytes = try first.document(group)
        clock.advance(by: 100_000)
        let second = try servers(["title": "é", "limit": 1], clock: clock, options: number.options)[0]
        #expect(try first.tag(group).text == second.tag(group).text)
        func parts(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
            let lines = bytes.split(separator: 0x0A, maxSplits: 1)
            return lines[0].split(separator: 0x20).prefix(3) + [lines[1]]
        }
        #expect(try parts(bytes) == parts(second.document(group)))
        let path = try first.path(ofDocument: group)
        #expect(second.get(path).status == 200)
    }

    @Test func `servers that go by their clocks answer 304 to the tags of each other`() throws {
        let clock = TestClock()
        let first = try servers(["limit": 1], clock: clock)[0]
        clock.advance(by: 5)
        let second = try servers(["limit": 1], clock: clock)[0]
        let (here, there) = (try first.tag("x"), try second.tag("x"))
        #expect(here.text != there.text && here.isEquivalent(to: there))
        let answer = second.get("/settings/x", unless: here.entityTag)
        #expect(answer.status == 304 && answer[.eTag] == here.entityTag)
        #expect(second.get("/settings/x/\(here.text)").bytes == (try second.document("x")))
    }

    @Test(arguments: [false, true], ["all", "x"])
    func `a server that nobody has asked has the number or the time of the state that it reads`(
        _ isNumbered: Bool,
        _ group: String
    ) async throws {
        let (clock, source, overlay) = (TestClock(), HostNumber(0), InMemoryStore())
        let options = isNumbered ? source.options : SettingsPublisherOptions()
        let servers = try servers(clock: clock, options: options, overlays: [overlay, overlay])
        _ = try servers[0].document(group)
        func change(_ value: PropertyListValue) throws {
            clock.advance(by: 10)
            source.value += 1
            for store in group == "all" ? servers.map(\.base) : [overlay] {
                try store.apply(PropertyListBatch(.set(value, key: "limit")))
            }
        }
        try change(1)
        let transport = ScriptedTransport(to: servers[0].publisher)
        let store = try makeClient(of: servers[0], over: transport, clock: clock) { $0.group = .named(group) }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
        try change(2)
        transport.connect(to: servers[1].publisher)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
    }

    @Test func `an old document of one server leads no client of another back`() async throws {
        let clock = TestClock()
        let servers = try servers(clock: clock)
        clock.advance(by: 10)
        for server in servers { try server.set(["limit": 1]) }
        let old = try servers[0].document()
        clock.advance(by: 10)
        for server in servers { try server.set(["limit": 2]) }
        let transport = ScriptedTransport(to: servers[1].publisher)
        let store = try makeClient(of: servers[0], over: transport, clock: clock)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
        transport.fail(.body(old), .body(old))
        await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(store.snapshot() == ["limit": 2])
    }

    @Test func `servers give one number of the source to one state of all groups`() throws {
        let (source, overlays) = (HostNumber(0), [InMemoryStore(), InMemoryStore()])
        let servers = try servers(options: source.options, overlays: overlays)
        for index in 1...3 {
            source.value += 1
            for (server, overlay) in zip(servers, overlays) {
                try overlay.apply(PropertyListBatch(setting: ["title": .string("\(index)")]))
                try server.set(["limit": .number(index)])
            }
            #expect(servers.map(\.publisher.revision) == [Int64(index), Int64(index)])
            #expect(try Set(servers.map { try $0.tag("x").text }).count == 1)
        }
    }
}
