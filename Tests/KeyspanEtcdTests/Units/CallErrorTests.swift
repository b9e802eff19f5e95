import Foundation
import GRPCCore
import NIOCore
import Testing

@testable import KeyspanEtcd

@Suite struct CallErrorTests {
    /// As the transport has it: an error of the system within one of gRPC within another one.
    @Test(arguments: [EMFILE, ENFILE])
    func `a lack of file descriptors is named with its remedy, wherever it is among the causes`(_ code: Int32) {
        let cause = IOError(errnoCode: code, reason: "socket")
        let inner = RPCError(code: .unavailable, message: "Could not establish a connection", cause: cause)
        let outer = RPCError(code: .internalError, message: "Channel is in a transient failure state", cause: inner)
        let wrapped = RuntimeError(code: .transportError, message: "The transport threw an error", cause: outer)
        for error in [cause, inner, outer, wrapped] as [any Error] {
            let found = CallError(error, of: "10.0.0.1:2379")
            #expect(found.kind == .unavailable && !found.isFinal)
            #expect(found.description.contains("limit of") && found.description.contains("open files"))
            #expect(found.description.contains("ulimit -n") == (code == EMFILE))
        }
        let other = RPCError(
            code: .unavailable,
            message: "refused",
            cause: IOError(errnoCode: EPERM, reason: "connect")
        )
        #expect(CallError(other, of: "a").reason == "refused")
    }

    @Test func `silence is told apart from refusals`() {
        #expect(CallError.silence(of: "a", for: .seconds(1)).isSilence)
        #expect(CallError(RPCError(code: .deadlineExceeded, message: ""), of: "a").isSilence)
        #expect(!CallError(RPCError(code: .unavailable, message: "refused"), of: "a").isSilence)
        #expect(CallError.silence(of: "a", for: .seconds(1)).withKind(.busy).isSilence)
    }
}
