import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Variants: how many are kept, what they have if values are bad or too large, and how clients move between them.
@Suite(.bounded)
struct PublisherVariantTests {
    private func stores(_ count: Int) -> [InMemoryStore] {
        (0..<count).map { InMemoryStore(["limit": .number($0)]) }
    }

    private func options(_ change: (inout SettingsPublisherOptions) -> Void) -> SettingsPublisherOptions {
        SettingsPublisherOptions {
            $0.heartbeat = .seconds(3_600)
            change(&$0)
        }
    }

    // MARK: - Number

    @Test func `more variants than are kept without clients can have clients on streams`() async throws {
        let stores = stores(12)
        let places = Locked(Array(0..<12))
        let server = try TestServer(options: options { $0.maximumVariants = 2 }) { client in
            client.bucket.map { [stores[places.withLock(\.self)[$0]]] } ?? []
        }
        var events: [EventIterator] = []
        for bucket in 0..<8 {
            var iterator = EventIterator(try await server.stream("/settings/changes?bucket=\(bucket)"), of: server)
            #expect(try await iterator.next()?.message.values == ["limit": .number(bucket)])
            events.append(iterator)
        }
        for bucket in 0..<12 {
            #expect(
                try await server.message("?bucket=\(bucket)").values == ["limit": .number(bucket)]
            )
        }
        places.withLock { $0[0] = 11 }
        server.publisher.refreshLayers()
        #expect(try await events[0].next()?.message.values == ["limit": 11])
        events = []
        #expect(server.publisher.core.state.withLock { $0.variants.count } <= 2)
    }

    @Test func `a variant that was evicted keeps the revision unless its values have changed`() async throws {
        let stores = stores(3)
        let server = try TestServer(options: options { $0.maximumVariants = 1 }) { client in
            client.bucket.map { [stores[$0]] } ?? []
        }
        let first = try await server.message("?bucket=0")
        for bucket in [1, 2, 0, 1, 2, 0] {
            #expect(try await server.message("?bucket=\(bucket)").revision == first.revision)
        }
        try stores[2].apply(PropertyListBatch(.set(9, key: "limit")))
        let changed = try await server.message("?bucket=2")
        #expect(changed.values == ["limit": 9] && changed.revision > first.revision)
    }

    @Test func `variants share one registration at a store, and only those with a changed store are read`() async throws
    {
        let (own, shared) = (stores(16), ScriptedStore(["title": "a"]))
        let server = try TestServer(options: options { _ in }) { client in
            client.bucket.map { [own[$0], shared] } ?? []
        }
        for bucket in 0..<16 { _ = try await server.message("?bucket=\(bucket)") }
        #expect(shared.count(of: .observe) == 1 && shared.count(of: .snapshot) == 16)
        try own[3].apply(PropertyListBatch(.set(100, key: "limit")))
        #expect(shared.count(of: .snapshot) == 17)
        #expect(try await server.message("?bucket=3").values == ["limit": 100, "title": "a"])
        try shared.apply(PropertyListBatch(.set("b", key: "title")))
        #expect(shared.count(of: .snapshot) == 33)
        for bucket in 0..<16 { #expect(try await server.message("?bucket=\(bucket)").values["title"] == "b") }
    }

    @Test func `a writer returns although the stores change all the time`() async throws {
        let isOn = Locked(false)
        let (overlay, count) = (InMemoryStore(["limit": 0]), Recorder<Void>())
        let server = try TestServer(options: options { _ in }) { _ in
            if isOn.withLock(\.self), count.count < 20_000 {
                count.record(())
                try? overlay.apply(PropertyListBatch(.set(.number(count.count), key: "limit")))
            }
            return [overlay]
        }
        let stream = try await server.stream()
        isOn.withLock { $0 = true }
        server.defaults[TestKeys.title] = "a"
        #expect(count.count < 20_000)
        isOn.withLock { $0 = false }
        server.defaults[TestKeys.title] = "b"
        try await eventually(
            "the last value is published",
            server.publisher.core.state.withLock { $0.variants.values.first?.contents?.values["title"] },
            is: "b"
        )
        withExtendedLifetime(stream) {}
    }

    // MARK: - Values that are bad or too large

    @Test func `values that are too large at the start are not replaced by an empty document`() async throws {
        let problems = Problems()
        let server = try TestServer(
            ["title": .string(String(repeating: "x", count: 5_000)), "limit": 3],
            options: options { $0.maximumSize = 4_096 }
        )
        for target in ["/settings", "/settings/changes", "/settings"] {
            let response = await problems.collect { Task { await server.get(target) } }.value
            #expect(response.status == 503)
        }
        #expect(problems.kinds == ["documentTooLarge"])
        server.defaults[TestKeys.title] = "a"
        #expect(try await server.message().values == ["title": "a", "limit": 3])
    }

    @Test func `a client that moves to values which are too large keeps its own until they fit`() async throws {
        let isOn = Locked(false)
        let overlay = InMemoryStore(["title": .string(String(repeating: "x", count: 5_000))])
        let options = options {
            $0.maximumSize = 4_096
            $0.heartbeat = .milliseconds(10)
        }
        let server = try Problems().collect {
            try TestServer(["limit": 1], options: options) { _ in
                isOn.withLock(\.self) ? [overlay] : []
            }
        }
        var events = EventIterator(try await server.stream(), of: server)
        let first = try #require(try await events.next())
        isOn.withLock { $0 = true }
        Problems().collect { server.publisher.refreshLayers() }
        for _ in 0..<2 { #expect(await events.text() == ":\n\n") }
        try overlay.apply(PropertyListBatch(.set("a", key: "title")))
        let second = try #require(try await events.next())
        #expect(second.event.type == "document" && second.message.values == ["limit": 1, "title": "a"])
        #expect(second.message.revision > first.message.revision)
    }

    @Test func `a bad value keeps the good one before`() async throws {
        let server = try TestServer(["port": 30, "title": "a"])
        var events = EventIterator(try await server.stream(), of: server)
        let first = try #require(try await events.next()).message
        try Problems().collect { try server.set(["port": 70_000, "title": "b"]) }
        let change = try #require(try await events.next())
        #expect(change.message.kind == .change(base: first.state, removed: []))
        #expect(change.message.values == ["title": "b"])
        #expect(try await server.message().values == ["port": 30, "title": "b"])
        try server.set(["port": nil])
        #expect(try await server.message().values == ["title": "b"])
    }

    @Test func `a bad value of an overlay leaves that of the store below`() async throws {
        let (high, low) = (InMemoryStore(["port": 0, "limit": "x"]), InMemoryStore(["port": -1, "limit": 7]))
        let server = try TestServer(["port": 30, "title": "a"]) { _ in [high, low] }
        let message = try await Problems().collect { Task { try await server.message() } }.value
        #expect(message.values == ["port": 30, "limit": 7, "title": "a"])
    }

    @Test func `a bad value that several variants have is reported once`() async throws {
        let (good, other) = (InMemoryStore(["limit": 2]), InMemoryStore(["title": "a"]))
        let problems = Problems()
        let server = try TestServer(["limit": "no"]) { client in
            client.bucket.map { $0 == 0 ? [good] : [other] } ?? []
        }
        for query in ["", "?bucket=0", "?bucket=1"] {
            _ = try await problems.collect { Task { try await server.message(query) } }.value
        }
        #expect(problems.kinds == ["valueNotPublished"])
    }

    @Test func `a variant with values that its stores no longer have is evicted last`() async throws {
        let stores = (0..<6).map { _ in InMemoryStore(["title": "x"]) }
        let problems = Problems()
        let server = try TestServer(["limit": 1], options: options { $0.maximumVariants = 2 }) { client in
            client.bucket.map { [stores[$0]] } ?? []
        }
        try stores[0].apply(PropertyListBatch(.set(2, key: "limit")))
        #expect(try await server.message("?bucket=0").values["limit"] == 2)
        try problems.collect { try stores[0].apply(PropertyListBatch(.set("no", key: "limit"))) }
        for bucket in [0, 1, 2, 3, 4, 5] { _ = try await server.message("?bucket=\(bucket)") }
        #expect(try await server.message("?bucket=0").values["limit"] == 2)
        #expect(server.publisher.core.state.withLock { $0.variants.count } <= 3)
    }

    // MARK: - Moves

    @Test func `a new stream of a client that has moved takes its other streams along`() async throws {
        let isOn = Locked(false)
        let overlay = InMemoryStore(["title": "new"])
        let server = try TestServer(["limit": 1], options: options { $0.heartbeat = .seconds(3_600) }) { _ in
            isOn.withLock(\.self) ? [overlay] : []
        }
        let stream = try await server.stream()
        let events = Task {
            var events = EventIterator(stream, of: server)
            return [try await events.next(), try await events.next()].compactMap { $0?.message }
        }
        try await eventually("the stream waits") { server.hasWaitingStream }
        isOn.withLock { $0 = true }
        let second = try await server.stream()
        let messages = try await events.value
        #expect(messages.last?.values == ["limit": 1, "title": "new"])
        #expect(messages[1].revision > messages[0].revision)
        withExtendedLifetime(second) {}
    }

    @Test func `a client that moves receives no change of the variant that it leaves`() async throws {
        let present = Locked<TestServer?>(nil)
        let visible = Recorder<PropertyListValue?>()
        let overlay = InMemoryStore(["title": "new"])
        let server = try TestServer(["limit": 1], options: options { _ in }) { _ in
            guard let server = present.withLock(\.self), server.base.value(forKey: "internal") != nil else { return [] }
            // The values that a stream would send by now.
            let contents = server.publisher.core.state.withLock { $0.variants.values.compactMap(\.contents) }
            for contents in contents { visible.record(contents.values["limit"]) }
            return [overlay]
        }
        present.withLock { $0 = server }
        defer { present.withLock { $0 = nil } }
        let stream = try await server.stream()
        let events = Task {
            var events = EventIterator(stream, of: server)
            return [try await events.next(), try await events.next()]
        }
        try await eventually("the stream waits") { server.hasWaitingStream }
        try server.set(["limit": 2, "internal": "on"])
        let second = try #require(try await events.value[1])
        #expect(second.event.type == "document" && second.message.values == ["limit": 2, "title": "new"])
        #expect(visible.values.first == 1, "the change is visible before the host has said who moves")
    }

    @Test func `a move to other values raises the revision`() async throws {
        let isOn = Locked(false)
        let overlay = InMemoryStore(["title": "new"])
        let server = try TestServer(["limit": 1], options: options { $0.heartbeat = .milliseconds(10) }) { _ in
            isOn.withLock(\.self) ? [overlay] : []
        }
        var events = EventIterator(try await server.stream(), of: server)
        var last = try #require(try await events.next()).message
        for value in [true, false, true] {
            // The heartbeat finds the move.
            isOn.withLock { $0 = value }
            let moved = try #require(try await events.next()).message
            #expect(moved.revision > last.revision && moved.state != last.state)
            last = moved
        }
        server.publisher.refreshLayers()
        // The thread of a heartbeat may be reading, and then reads for this one as well.
        try await eventually("the revision has risen", server.publisher.revision) { $0 > last.revision }
    }
}
