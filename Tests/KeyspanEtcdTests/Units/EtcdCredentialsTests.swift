import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

@Suite struct EtcdCredentialsTests {
    @Test func `a closure that hangs is not called again until it returns`() async throws {
        let gate = Gate()
        let calls = Recorder<Int>()
        let credentials = EtcdCredentials(user: "ann") {
            let isFirst = calls.values.isEmpty
            calls(1)
            if isFirst { gate.pass() }
            return "pass"
        }
        let executor = CallExecutor.next()
        for _ in 0..<5 {
            await #expect(throws: (any Error).self) {
                try await credentials.currentPassword(upTo: .milliseconds(20), on: executor)
            }
        }
        gate.open()
        #expect(try await credentials.currentPassword(upTo: .seconds(60), on: executor) == "pass")
        // Once more if the first call was over before the last one asked.
        #expect(calls.values.count <= 2)
    }
}
