import KeyspanCore
import KeyspanFileStore

/// A program of one thread that observes what it writes itself, while the store follows its file.
///
/// Each change has to be heard on that thread before the write returns, and each initial value before the registration
/// does.
struct Listener: Work {
    let invocation: Invocation

    private struct Events {
        var values: [PropertyListValue?] = []
        var elsewhere = 0
    }

    func run() throws {
        let store = try invocation.open()
        let thread = ThreadIdentity.current
        let events = Locked(Events())
        let receive: @Sendable (PropertyListChange) -> Void = { change in
            events.withLock { events in
                events.values.append(change["number"]?.new)
                events.elsewhere += ThreadIdentity.current == thread ? 0 : 1
            }
        }
        var (lateChanges, lateInitials, elsewhere) = (0, 0, 0)
        for number in 1...max(invocation.count, 1) {
            let observation = store.observe(.named(["number"]), initial: true, receive)
            let initial = events.withLock { $0.values.count }
            lateInitials += initial == 1 ? 0 : 1
            for step in 0..<8 {
                let value = PropertyListValue.integer(PropertyListInteger(number * 8 + step))
                try store.apply(PropertyListBatch(.set(value, key: "number")))
                lateChanges += events.withLock { $0.values.last == .some(value) } ? 0 : 1
            }
            // Now and then a save lets the watcher look, in the background, at what this program wrote.
            if number.isMultiple(of: 4) { try store.synchronize() }
            observation.cancel()
            elsewhere += events.withLock { events in
                defer { events = Events() }
                return events.elsewhere
            }
        }
        let count = max(invocation.count, 1)
        if lateChanges + lateInitials + elsewhere > 0 {
            Output.standard.write(
                "\(Report.fault)late: \(lateChanges) of \(count * 8) changes and \(lateInitials) of \(count) initial values; "
                    + "on another thread: \(elsewhere)"
            )
        }
    }
}
