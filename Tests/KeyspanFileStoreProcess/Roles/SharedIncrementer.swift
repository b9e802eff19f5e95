import KeyspanCore
import KeyspanFileStore

/// Raises a counter that others raise as well, with batches that expect what they read.
struct SharedIncrementer: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        var done = 0
        while done < invocation.count {
            let present = store.value(forKey: invocation.name)
            var batch = PropertyListBatch()
            batch.expect(present, forKey: invocation.name)
            let next = PropertyListInteger((present?.integerValue?.int64 ?? 0) + 1)
            batch.set(.integer(next), forKey: invocation.name)
            do {
                try store.apply(batch)
                done += 1
            } catch {
                // Someone was faster; what that one wrote is in memory now.
                if error.code != .conflict { throw error }
            }
        }
    }
}
