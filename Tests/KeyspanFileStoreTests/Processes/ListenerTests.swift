#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanFileStoreProcess
import Testing

/// Programs of one thread that observe what they write, whose stores follow their files in the background.
///
/// `KEYSPAN_LISTENERS` says how many are run.
@Suite("A program of one thread", .timeLimit(.minutes(60)))
struct ListenerTests {
    @Test func `hears its own changes on its thread before its writes return`() async throws {
        let folder = try TemporaryFolder()
        for program in 1...Amount.listeners.value {
            let path = folder.path("settings \(program).json")
            try await StoreProcess(Invocation(.listener, path: path, count: 200)).finish()
        }
    }
}
#endif
