import KeyspanCore
import KeyspanFileStore

/// Writes numbers, with pauses, and tells when each was durable.
struct Sender: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        for number in 1...invocation.count {
            try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: invocation.name)))
            try store.synchronize()
            Output.standard.write("\(Report.instant)\(number) \(MonotonicTime.now)")
            usleep(UInt32.random(in: 10_000...20_000))
        }
    }
}
