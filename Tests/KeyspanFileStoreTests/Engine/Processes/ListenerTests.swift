#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A thread that observes what it writes, in a store that follows its file in the background.
@Suite(.heavy) struct ListenerTests {
    @Test func `a thread receives its own changes before its writes return`() async throws {
        let folder = try TemporaryFolder()
        for program in 1...TestLevel.current.pick(1, thorough: 20, exhaustive: 2_000) {
            let store = try JSONFileStore(path: folder.path("settings \(program).json"))
            let late = try await TestThread.run { try Self.lateEvents(in: store, rounds: 200) }
            #expect(late == [])
        }
    }

    /// Writes and observes on this thread, and returns what came late or on another thread.
    private static func lateEvents(in store: JSONFileStore, rounds: Int) throws -> [String] {
        let thread = ThreadIdentity.current
        var late: [String] = []
        for round in 1...rounds {
            let events = Recorder<(value: PropertyListValue?, isHere: Bool)>()
            let observation = store.observe(.named(["number"]), initial: true) { change in
                events.record((change["number"]?.new, ThreadIdentity.current == thread))
            }
            if events.count != 1 { late.append("the initial value of round \(round)") }
            for step in 0..<8 {
                let value = PropertyListValue(round * 8 + step)
                try store.apply(PropertyListBatch(.set(value, key: "number")))
                if events.last?.value != value { late.append("change \(step) of round \(round)") }
            }
            // Now and then a save lets the watcher look, in the background, at what this thread wrote.
            if round.isMultiple(of: 4) { try store.synchronize() }
            observation.cancel()
            if !events.values.allSatisfy(\.isHere) { late.append("a change of round \(round), on another thread") }
        }
        return late
    }
}
#endif
