import KeyspanCore
import KeyspanFileStore

/// Writes keys of its own, and exits.
struct KeyWriter: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        for number in 1...invocation.count {
            let value = PropertyListValue.integer(PropertyListInteger(number))
            try store.apply(PropertyListBatch(.set(value, key: "\(invocation.name).\(number)")))
            // Now and then, so that the processes take turns.
            if number.isMultiple(of: max(2, invocation.count / 2)) { try store.synchronize() }
        }
    }
}
