import KeyspanCore
import KeyspanFileStore

/// Tells when the numbers come in that a ``Sender`` writes.
struct Receiver: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        let observation = store.observe(.named([UTF8Text(invocation.name)]), initial: false) { change in
            let now = MonotonicTime.now
            guard let number = change.entries.first?.new?.integerValue?.int64 else { return }
            Output.standard.write("\(Report.instant)\(number) \(now)")
        }
        Output.standard.write(Report.ready)
        StopRequest.wait()
        withExtendedLifetime((store, observation)) {}
    }
}
