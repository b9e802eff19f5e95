import KeyspanTesting
import Testing

@Suite
struct HistoryCheckTests {
    private static let seeds = TestLevel.current.pick(100, thorough: 2_000, exhaustive: 20_000)

    @Test func `every correct history is accepted`() {
        var calls = 0
        for run in 0..<Self.seeds {
            let seed = SeededGenerator.seedOfRun &+ UInt64(run)
            var simulation = HistorySimulation(seed: seed)
            let history = simulation.run()
            calls += history.calls.count
            if let report = HistoryCheck(history).report() {
                Issue.record("seed \(seed)\n\(report)")
                return
            }
        }
        #expect(calls > Self.seeds * 20, "The simulation makes hardly any calls, seed \(SeededGenerator.seedOfRun)")
    }

    private static let mutations =
        HistoryMutation.ofCalls + HistoryMutation.ofCompares + HistoryMutation.ofObservers + HistoryMutation.ofOverlays
        + HistoryMutation.ofReads
    private static let faultyHistories = TestLevel.current.pick(8, thorough: 80, exhaustive: 800)

    /// A mutation can happen to make another correct history, for example where a state comes back.
    @Test(arguments: mutations)
    func `a history with a fault is rejected for that fault`(mutation: HistoryMutation) {
        var (applied, found) = (0, 0)
        var missed: [String] = []
        // Some faults have a place in few histories, so the number of faults is fixed and not that of histories.
        for run in 0..<(Self.faultyHistories * 50) where applied < Self.faultyHistories {
            let seed = SeededGenerator.seedOfRun &+ UInt64(run)
            var simulation = HistorySimulation(seed: seed)
            var draft = HistoryMutation.Draft(simulation.run(), seed: seed)
            guard let culprit = mutation.apply(&draft) else { continue }
            applied += 1
            let failures = HistoryCheck(draft.history).failures()
            if failures.contains(where: { mutation.isExpected($0) && $0.description.contains(culprit) }) {
                found += 1
            } else {
                missed.append("seed \(seed), \(culprit): \(failures.map(\.description))")
            }
        }
        #expect(
            applied == Self.faultyHistories,
            "Too few seeds from \(SeededGenerator.seedOfRun) on have a place for the fault."
        )
        #expect(
            applied - found <= max(1, applied / 20),
            "\(found) of \(applied) faults were found; missed:\n\(missed.prefix(3))"
        )
    }
}
