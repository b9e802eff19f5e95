import Testing

@testable import KeyspanFileStore

@Suite("The coverage of a table by the disk") struct DiskCoverageTests {
    private static let events: [DiskCoverage.Event] = [
        .tableExtended, .recordWritten, .fileReplaced, .emptyingFailed, .continuationLost, .continuationRestored,
        .valuesLost,
    ]

    /// The two questions after an event, decided one by one.
    private func answers(
        _ event: DiskCoverage.Event,
        fileHasAll: Bool,
        journalContinues: Bool
    ) -> (fileHasAll: Bool, journalContinues: Bool) {
        switch event {
        case .tableExtended, .emptyingFailed: (false, journalContinues)
        case .recordWritten: (false, true)
        case .fileReplaced: (true, true)
        case .continuationLost: (fileHasAll, false)
        case .continuationRestored: (fileHasAll, true)
        case .valuesLost: (false, false)
        }
    }

    @Test(arguments: events, [(true, true), (true, false), (false, true), (false, false)])
    func `answers both questions after each event`(event: DiskCoverage.Event, before: (Bool, Bool)) {
        var coverage = DiskCoverage(fileHasAll: before.0, journalContinues: before.1)
        #expect((coverage.isCheckpointed, coverage.continuesFile) == before)
        coverage.handle(event)
        let after = answers(event, fileHasAll: before.0, journalContinues: before.1)
        #expect((coverage.isCheckpointed, coverage.continuesFile) == after)
    }
}
