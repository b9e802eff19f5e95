import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

@Suite struct SessionTokenTests {
    private final class Connection: Sendable {}

    private let token = SessionToken(on: .next())
    private let first = Connection()
    private let second = Connection()

    @Test func `a token that one connection cannot get is asked for over another`() async throws {
        let (begun, lost) = (Flag(), Flag())
        let asking = Task { [token, first] in
            try await token.present(over: ObjectIdentifier(first)) { () throws(CallError) in
                begun.set()
                await lost.wait()
                throw CallError(kind: .unavailable, endpoint: "m1", reason: "the connection was lost")
            }
        }
        await begun.wait()
        let waiting = Task { [token, second] in
            try await token.present(over: ObjectIdentifier(second)) { () throws(CallError) in "new" }
        }
        lost.set()
        await #expect(throws: CallError.self) { try await asking.value }
        #expect(try await waiting.value.text == "new")
    }

    @Test func `a refused password is the answer for all connections for a while`() async throws {
        let calls = Recorder<Int>()
        // The pauses between the calls grow.
        for number in 0..<50 {
            let connection = number.isMultiple(of: 2) ? first : second
            await #expect(throws: CallError.self) {
                try await token.present(over: ObjectIdentifier(connection)) { () throws(CallError) in
                    calls.record(1)
                    throw CallError(kind: .unauthorized, endpoint: "m1", reason: "authentication failed")
                }
            }
        }
        #expect(calls.count < 25)
    }
}
