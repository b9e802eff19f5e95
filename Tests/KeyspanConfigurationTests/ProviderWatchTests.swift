import Configuration
import KeyspanConfiguration
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Watches of a provider over the observers of a store.
@Suite(.bounded)
struct ProviderWatchTests {
    private static let writes = TestLevel.current.pick(2_000, thorough: 50_000)

    private func set(_ value: PropertyListValue?, _ key: String, in store: any PropertyListStore) throws {
        try store.apply(PropertyListBatch(value.map { .set($0, key: key) } ?? .remove(key: key)))
    }

    @Test func `a value is watched from the present one to absence and to an error`() async throws {
        let store = InMemoryStore(["a": 1])
        try await KeyspanProvider(store).watchValue(forKey: "a", type: .int) { updates in
            var iterator = updates.makeAsyncIterator()
            #expect(try await iterator.next()?.get().value?.content == .int(1))
            try set(2, "a", in: store)
            #expect(try await iterator.next()?.get().value?.content == .int(2))
            // Neither another key nor the same value is a change.
            try set(5, "b", in: store)
            try set(2, "a", in: store)
            try set(nil, "a", in: store)
            let absent = try await iterator.next()?.get()
            #expect(absent?.value == nil && absent?.encodedKey == "a")
            try set("text", "a", in: store)
            let refused = try await iterator.next()
            #expect(throws: Defaults.ReadError.self) { try refused?.get() }
        }
    }

    @Test func `a member of a dictionary is watched, and an entry that comes before it`() async throws {
        let store = InMemoryStore(["tls": ["port": 1, "host": "a"]])
        try await KeyspanProvider(store).watchValue(forKey: "tls.port", type: .int) { updates in
            var iterator = updates.makeAsyncIterator()
            #expect(try await iterator.next()?.get().value?.content == .int(1))
            try set(["port": 1, "host": "b"], "tls", in: store)
            try set(["port": 2], "tls", in: store)
            #expect(try await iterator.next()?.get().value?.content == .int(2))
            try set(3, "tls.port", in: store)
            #expect(try await iterator.next()?.get().value?.content == .int(3))
        }
    }

    @Test func `texts that differ in their bytes alone are two values`() async throws {
        let store = InMemoryStore(["a": "\u{E9}"])
        try await KeyspanProvider(store).watchValue(forKey: "a", type: .string) { updates in
            var iterator = updates.makeAsyncIterator()
            _ = try await iterator.next()
            try set("e\u{301}", "a", in: store)
            guard case .string(let text)? = try await iterator.next()?.get().value?.content else {
                Issue.record("no text")
                return
            }
            #expect(Array(text.utf8) == Array("e\u{301}".utf8))
        }
    }

    @Test func `a slow reader of a value gets the newest one`() async throws {
        let store = InMemoryStore(["a": 0])
        try await KeyspanProvider(store).watchValue(forKey: "a", type: .int) { updates in
            var iterator = updates.makeAsyncIterator()
            _ = try await iterator.next()
            for value in 1...100 { try set(.integer(PropertyListInteger(value)), "a", in: store) }
            #expect(try await iterator.next()?.get().value?.content == .int(100))
        }
    }

    @Test func `a watch beside a fast writer ends with the last value`() async throws {
        let store = InMemoryStore(["a": 0])
        let provider = KeyspanProvider(store)
        let writer = TestThread {
            for value in 1...Self.writes { store.set(.integer(PropertyListInteger(value)), forKey: "a") }
        }
        let last = try await provider.watchValue(forKey: "a", type: .int) { updates in
            var last = -1
            for await update in updates {
                guard case .int(let value)? = try update.get().value?.content else { continue }
                #expect(value > last)
                last = value
                if value == Self.writes { break }
            }
            return last
        }
        writer.join()
        #expect(last == Self.writes)
    }

    @Test func `a watch of snapshots beside a fast writer sees whole batches and ends with the last one`() async throws
    {
        let store = InMemoryStore()
        let writer = TestThread {
            for value in 1...Self.writes {
                let value = PropertyListValue.integer(PropertyListInteger(value))
                try? store.apply(PropertyListBatch([("a", value), ("b", value)]))
            }
        }
        try await KeyspanProvider(store).watchSnapshot { snapshots in
            for await snapshot in snapshots {
                let a = try snapshot.value(forKey: "a", type: .int).value
                #expect(try snapshot.value(forKey: "b", type: .int).value == a)
                if a?.content == .int(Self.writes) { break }
            }
        }
        writer.join()
    }

    @Test func `the first snapshot comes at once, also from an empty store`() async throws {
        let provider = KeyspanProvider(InMemoryStore())
        let snapshot = try await provider.watchSnapshot { snapshots in
            await snapshots.first { _ in true }
        }
        #expect(try snapshot?.value(forKey: "a", type: .int).value == nil)
    }

    @Test func `a canceled watch ends and releases the store`() async throws {
        weak var released: InMemoryStore?
        do {
            let store = InMemoryStore(["a": 1])
            released = store
            let provider = KeyspanProvider(store)
            let received = Recorder<Void>()
            let values = Task {
                try await provider.watchValue(forKey: "a", type: .int) { for await _ in $0 { received.record(()) } }
            }
            let snapshots = Task {
                try await provider.watchSnapshot { for await _ in $0 { received.record(()) } }
            }
            try await eventually("both watches have begun", received.count, is: 2)
            values.cancel()
            snapshots.cancel()
            try await values.value
            try await snapshots.value
        }
        #expect(released == nil)
    }

    @Test func `a handler's error ends the watch`() async throws {
        struct Failure: Error {}
        let provider = KeyspanProvider(InMemoryStore())
        await #expect(throws: Failure.self) { try await provider.watchSnapshot { _ in throw Failure() } }
        await #expect(throws: Failure.self) {
            try await provider.watchValue(forKey: "a", type: .int) { _ in throw Failure() }
        }
    }

    @Test func `a slow reader does not get the value that it has once more`() async throws {
        let store = InMemoryStore(["a": 0])
        let lookups = Recorder<PropertyListValue>()
        let secrets = SecretsSpecifier<String, PropertyListValue>.dynamic { _, value in
            lookups.record(value)
            return false
        }
        try await KeyspanProvider(store, secrets: secrets).watchValue(forKey: "a", type: .int) { updates in
            var iterator = updates.makeAsyncIterator()
            #expect(try await iterator.next()?.get().value?.content == .int(0))
            try set(1, "a", in: store)
            try set(0, "a", in: store)
            let count = lookups.count
            let next = Task {
                try await eventually("the watch has looked at the same value", lookups.count) { $0 > count }
                try set(2, "a", in: store)
            }
            #expect(try await iterator.next()?.get().value?.content == .int(2))
            try await next.value
        }
    }

    @Test func `a watch follows whether its value is secret`() async throws {
        let store = InMemoryStore(["db": ["kind": "public", "token": "x"]])
        let provider = KeyspanProvider(
            store,
            secrets: .dynamic { _, value in
                if case .dictionary(let members) = value { members["kind"] == "private" } else { false }
            }
        )
        try await provider.watchValue(forKey: "db.token", type: .string) { updates in
            var iterator = updates.makeAsyncIterator()
            let first = try await iterator.next()?.get()
            store.set(["kind": "private", "token": "x"], forKey: "db")
            let second = try await iterator.next()?.get()
            #expect(first?.value?.isSecret == false && second?.value?.isSecret == true)
        }
    }
}
