import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanService

/// Saving several stores before a deadline that a test decides.
@Suite struct StoreSavingTests {
    @Test func `the deadline ends the wait for a store that hangs`() async throws {
        let (hanging, saved) = (ScriptedStore(name: "a"), ScriptedStore(name: "b"))
        hanging.hold(.synchronize)
        let saving = StoreSaving(of: [saved, hanging], within: .seconds(7)) { duration in
            #expect(duration == .seconds(7))
            try await eventually("one store hangs") { saved.count(of: .synchronize) == 1 && hanging.heldCount == 1 }
        }
        let failures = await saving.failures()
        let failure = try #require(failures.last)
        guard case .timeout(.seconds(7)) = failure.cause else {
            Issue.record("\(failures)")
            return
        }
        #expect(failure.description == "a: it was not saved within 7.0 seconds; check the disk, or give it more time.")
        #expect(failure.store == "a")
        hanging.release(.synchronize)
        try await eventually("the store is saved in the end", hanging.count(of: .synchronize), is: 1)
    }

    @Test func `no store waits for another one, and no deadline is awaited when all have answered`() async {
        let stores = (0..<40).map { ScriptedStore(name: "\($0)") }
        let saving = StoreSaving(of: stores, within: .seconds(3600))
        #expect(await saving.failures().isEmpty)
        #expect(stores.allSatisfy { $0.count(of: .synchronize) == 1 })
        #expect(await StoreSaving(of: [], within: .zero).failures().isEmpty)
    }

    @Test func `a failure has the error of its store`() async throws {
        let (failing, saved) = (ScriptedStore(name: "b"), ScriptedStore(name: "c"))
        failing.failSynchronize(with: StoreError(.notDurable, store: "b", reason: "it is full", remedy: "make room"))
        let failures = await StoreSaving(of: [failing, saved], within: .seconds(3600)).failures()
        #expect(failures.map(\.description) == ["b: it was not saved: it is full; make room."])
    }

    @Test func `the description of a failure shows the first keys`() {
        let error = StoreError(.notDurable, store: "s", reason: "it is full", remedy: "make room")
        let keys = (1...7).map { "key\($0)" }
        let failure = UnsavedStoresError.Failure(store: "s", cause: .failed(error), unsavedKeys: keys)
        let expected = """
            s: it was not saved: it is full (unsaved: "key1", "key2", "key3", "key4", "key5" and 2 more); make room.
            """
        #expect(failure.description == expected)
        #expect(UnsavedStoresError(failures: [failure, failure]).description == "\(expected)\n\(expected)")
    }

    @Test func `stores that hang take no thread from the others`() async {
        let hanging = (0..<70).map { ScriptedStore(name: "\($0)") }
        for store in hanging { store.hold(.synchronize) }
        let saved = ScriptedStore(name: "saved")
        let saving = StoreSaving(of: hanging + [saved], within: .seconds(1)) { _ in
            // Also if it fails, the deadline follows.
            try? await eventually("the store is saved", saved.count(of: .synchronize), is: 1)
        }
        _ = await saving.failures()
        #expect(saved.count(of: .synchronize) == 1)
        for store in hanging { store.release(.synchronize) }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(-1), .zero])
    func `any time is a deadline`(_ timeout: Duration) async {
        #expect(await StoreSaving(of: [], within: timeout).failures().isEmpty)
        let store = ScriptedStore()
        store.hold(.synchronize)
        let failures = Task { await StoreSaving(of: [store], within: timeout).failures() }
        if timeout > .zero { store.release(.synchronize) }
        #expect(await failures.value.count == (timeout > .zero ? 0 : 1))
        store.release(.synchronize)
    }
}
