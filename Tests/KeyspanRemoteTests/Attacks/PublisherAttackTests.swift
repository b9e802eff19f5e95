import Dispatch
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Clients of a publisher that send anything, open streams without reading them, and come while the stores change.
@Suite(.bounded, .seeded)
struct PublisherAttackTests {
    private static let pieces = [
        "/", "settings", "/settings", "/settings/all", "all", "beta", "changes", "?", "&", "=", "..", ".", "%2F", "%00",
        "%", "#",
        "bucket=", "999", "1000", "-1", "platform=", "cohort=x", "version", "\u{0}", "é", "*", ";", "//", ":", "\\",
        " ", "\r\n",
        String(repeating: "a", count: 3_000), "\(String(repeating: "a", count: 32)).1.1.k", ".", "18446744073709551616",
    ]
    private static let conditions = [
        "*", "\"", "\"\"", "W/\"x\"", "\"\(String(repeating: "a", count: 32)).1.1.test-1\"", ",,,", "\"a\", \"b",
        "\"\(String(repeating: "0", count: 32)).99999999999999999999.1.k\"", String(repeating: "\"", count: 10_000),
    ]

    @Test func `any request has an answer of the documented kinds`() throws {
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let server = try TestServer(["limit": 1], groups: ["beta": [InMemoryStore()]]) { $0.cohort ?? "all" }
        for _ in 0..<TestLevel.current.pick(20_000, thorough: 400_000) {
            let count = Int.random(in: 0..<6, using: &random)
            let prefix =
                ["", "/settings", "/settings?", "/settings/all", "/settings/all/", "/settings/beta?"]
                .randomElement(using: &random) ?? ""
            let path = prefix + (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            var fields: HTTPFields = [:]
            if Bool.random(using: &random) { fields[.ifNoneMatch] = Self.conditions.randomElement(using: &random) }
            let methods = ["GET", "HEAD", "POST", "OPTIONS", "get", "PURGE"].compactMap { HTTPRequest.Method($0) }
            let method =
                Int.random(in: 0..<3, using: &random) > 0 ? .get : methods.randomElement(using: &random) ?? .get
            let response = server.get(path, fields, method: method)
            let status = response.head.status.code
            #expect([200, 304, 307, 400, 404, 405].contains(status), "\(method) \(path): \(status)")
            if method != .get, method != .head { #expect([404, 405].contains(status), "\(method) \(path)") }
            if status == 307 {
                #expect(["settings/all", "settings/beta"].contains(response.head.headerFields[.location]), "\(path)")
            }
            if method == .head, case .bytes(let bytes) = response.body, status == 200 { #expect(bytes.isEmpty) }
        }
        #expect(server.publisher.streamCount == 0)
    }

    @Test func `streams that come and go among writes leave nothing behind`() async throws {
        let rounds = TestLevel.current.pick(300, thorough: 5_000)
        let seed = SeededGenerator.seedOfRun
        var options = SettingsPublisherOptions()
        (options.maximumStreams, options.maximumStreamsPerPeer, options.heartbeat) = (40, 15, .milliseconds(10))
        let beta = InMemoryStore()
        weak var core: PublisherCore?
        do {
            let server = try TestServer(["limit": 1], groups: ["beta": [beta]], options: options)
            core = server.publisher.core
            let isClosing = Locked(false)
            _ = isClosing.withLock(\.self)
            DispatchQueue.concurrentPerform(iterations: 6) { thread in
                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                var open: [(AsyncStream<[UInt8]>, AsyncStream<[UInt8]>.AsyncIterator?)] = []
                for round in 0..<rounds {
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0: try? server.set(["limit": .number(round * 6 + thread)])
                    case 1: try? beta.apply(PropertyListBatch(.set(.number(round), key: "limit")))
                    case 2: server.publisher.refreshGroups()
                    case 3 where !open.isEmpty: open.remove(at: Int.random(in: 0..<open.count, using: &random))
                    case 4: open.removeAll()
                    default:
                        let peer = ["a", "b", nil].randomElement(using: &random) ?? nil
                        let group = ["all", "beta"].randomElement(using: &random) ?? "all"
                        if let stream = try? server.stream(group, from: peer) {
                            open.append((stream, Bool.random(using: &random) ? stream.makeAsyncIterator() : nil))
                        }
                    }
                    if thread == 0, round == rounds * 9 / 10, seed % 2 == 0 { server.publisher.close() }
                }
            }
            try await eventually("no stream is left", server.publisher.streamCount, is: 0)
            if seed % 2 == 1 {
                // The places of all peers are free.
                let streams = try (0..<15).map { _ in try server.stream(from: "a") }
                #expect(server.get("/settings/all/changes", from: "a").head.status == .tooManyRequests)
                _ = streams.count
            }
        }
        try await eventually("the publisher is released", core == nil, is: true)
    }

    @Test func `documents made while stores change are states of the stores, in their order`() async throws {
        let count = TestLevel.current.pick(400, thorough: 10_000)
        let number = HostNumber(0)
        _ = number
        let beta = InMemoryStore()
        let keys: [Defaults.AnyKey] = ["left", "right", "other"].map {
            Defaults.Key<Int?>($0).published() as Defaults.AnyKey
        }
        let server = try TestServer(["left": 0, "right": 0], keys: keys, groups: ["beta": [beta]])
        let found = Recorder<String>()
        DispatchQueue.concurrentPerform(iterations: 5) { thread in
            var seen: [String: (revision: Int64, left: Int64)] = [:]
            for round in 1...count {
                switch thread {
                case 0: try? server.set(["left": .number(round), "right": .number(round)])
                case 1: try? beta.apply(PropertyListBatch(.set(.number(round), key: "other")))
                default:
                    for group in ["all", "beta"] {
                        guard let message = try? server.message(group) else { found.record("no document"); continue }
                        guard case .integer(let left)? = message.values["left"], let left = left.int64,
                            message.values["left"] == message.values["right"]
                        else {
                            found.record("half a state \(message.values)")
                            continue
                        }
                        if let last = seen[group] {
                            if message.revision < last.revision {
                                found.record("revision \(message.revision) after \(last)")
                            }
                            if left < last.left { found.record("\(left) after \(last)") }
                        }
                        if message.group != group { found.record("group \(message.group)") }
                        seen[group] = (message.revision, left)
                    }
                }
            }
        }
        #expect(found.values.prefix(5).isEmpty, "\(found.values.prefix(5))")
        #expect(try server.message().values["left"] == .number(count))
        #expect(try server.message("beta").values["other"] == .number(count))
    }

    @Test func `the tag of a document is that of its times`() throws {
        // The clock passes a quarter between any two readings.
        let server = try TestServer(["limit": 1])
        let clock = TestClock()
        let moving = DocumentSigner(name: "test", key: server.key, validity: .seconds(4)) {
            clock.advance(by: 1)
            return clock.now
        }
        let values = PropertyListDictionary([("limit", .number(1))])
        let state = SettingsState(of: SettingsState.text(of: values), for: "all")
        let made = moving.sign(values, state, for: "all", at: 5)
        let read = try server.read(made.bytes)
        #expect(made.tag == DocumentTag(read.state, issued: read.validity.lowerBound, revision: 5, keyID: "test-1"))
        #expect(made.expires == read.validity.upperBound)
    }
}
