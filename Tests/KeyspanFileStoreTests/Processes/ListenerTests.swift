#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing

/// Programs of one thread that observe what they write, whose stores follow their files in the background.
@Suite(.heavy, .timeLimit(.minutes(60)))
struct ListenerTests {
    @Test func `a program of one thread receives its own changes on its thread before its writes return`() async throws
    {
        let folder = try TemporaryFolder()
        for program in 1...TestLevel.current.pick(2, thorough: 20, exhaustive: 2_000) {
            let path = folder.path("settings \(program).json")
            try await StoreProcess(Invocation(.listener, path: path, count: 200)).finish()
        }
    }
}
#endif
