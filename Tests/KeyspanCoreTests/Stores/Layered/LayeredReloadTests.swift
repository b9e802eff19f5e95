@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// Reloading a layered store.
@Suite struct LayeredReloadTests {
    /// A store in memory whose source is a closure.
    private final class Reloading: ForwardingStore, ReloadableStore {
        let base: InMemoryStore
        private let read: @Sendable () throws(StoreError) -> PropertyListValue

        init(_ name: String, _ read: @escaping @Sendable () throws(StoreError) -> PropertyListValue) {
            base = InMemoryStore(name: name)
            self.read = read
        }

        func reload() throws(StoreError) { try base.apply(PropertyListBatch(.set(try read(), key: name))) }
    }

    private static func failure(of store: String) -> StoreError {
        StoreError(.notReloaded, store: store, reason: "it is damaged", remedy: "mend it")
    }

    @Test func `every layer that can be reloaded is, also behind one that fails, and the first error is thrown`() async
    {
        let store = LayeredStore([
            .init("a", Reloading("a") { 1 }),
            .init("b", Reloading("b") { () throws(StoreError) in throw Self.failure(of: "b") }),
            .init("memory", InMemoryStore(["m": 0]), isWritable: true),
            .init(
                "inner",
                LayeredStore([
                    .init("c", Reloading("c") { () throws(StoreError) in throw Self.failure(of: "c") }),
                    .init("d", Reloading("d") { 2 }),
                ])
            ),
        ])
        func reload() throws(StoreError) { try store.reload() }
        let error = #expect(throws: StoreError.self) { try reload() }
        #expect(error?.code == .notReloaded && error?.store == "b")
        #expect(store.snapshot() == ["a": 1, "m": 0, "d": 2])
        let later = await #expect(throws: StoreError.self) { try await store.reload() }
        #expect(later?.store == "b")
    }

    @Test func `an asynchronous reload keeps the scope of its task`() async throws {
        let problems = Recorder<String>()
        let store = Reloading("a") {
            Defaults.Problem.storeNotice(name: "a", notice: "read").report()
            return 1
        }
        let operation: @Sendable () -> Task<Void, any Error> = { Task { try await store.reload() } }
        try await Defaults.withProblemHandler { problem in
            problems.record("\(problem)")
        } operation: {
            operation()
        }.value
        #expect(problems.values == ["read"])
    }
}
