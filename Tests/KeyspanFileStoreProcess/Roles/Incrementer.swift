import KeyspanCore
import KeyspanFileStore

/// Raises a counter of its own by one again and again, by what the store says that it is.
struct Incrementer: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        for step in 1...invocation.count {
            let value = store.value(forKey: invocation.name)?.integerValue?.int64 ?? 0
            try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(value + 1)), key: invocation.name)))
            if step.isMultiple(of: 5) { try store.synchronize() }
        }
        Output.standard.write(Report.ready)
        // It goes on to be one of those who share the file until nobody edits any more.
        StopRequest.wait()
        withExtendedLifetime(store) {}
    }
}
