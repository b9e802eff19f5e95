import KeyspanCore
import KeyspanFileStore

/// Writes numbered batches, and acknowledges those that are durable.
struct Writer: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        var number: Int
        switch NumberedBatch.trace(of: invocation.name, in: store.snapshot()) {
        case .nothing: number = 0
        case .whole(let found): number = found
        case .torn(let what):
            Output.standard.write("\(Report.fault)\(what)")
            return
        }
        Output.standard.write("\(Report.found)\(number)")
        while !StopRequest.isMade {
            for _ in 0..<Int.random(in: 1...3) {
                number += 1
                try store.apply(NumberedBatch(writer: invocation.name, number: number).writes)
            }
            if invocation.mode.options.durability != .everyBatch { try store.synchronize() }
            Output.standard.write("\(Report.acknowledged)\(number)")
        }
    }
}
