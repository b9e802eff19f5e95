@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

/// Opens the store again and again, and looks at what it has and at the file.
struct Reader: Work {
    let invocation: Invocation

    func run() throws {
        Output.standard.write(Report.ready)
        var file = FileWitness(path: invocation.path)
        var witness = Witness(of: "the reopened store")
        var count = 0
        while !StopRequest.isMade {
            witness.look(at: try invocation.open().snapshot())
            file.look()
            count += 1
        }
        Output.standard.write("\(Report.looks)\(count)")
    }
}

/// Keeps the store open, and looks at each change that comes in, at the store and at the file all along.
struct Observer: Work {
    let invocation: Invocation

    private struct Events {
        var table = PropertyListTable()
        var witness = Witness(of: "the changes")
        var count = 0
    }

    func run() throws {
        let store = try invocation.open()
        let events = Locked(Events())
        let observation = store.observe(.all, initial: true) { change in
            events.withLock { events in
                for entry in change.entries { events.table[entry.key] = entry.new }
                events.witness.look(at: events.table)
                events.count += 1
            }
        }
        Output.standard.write(Report.ready)
        var file = FileWitness(path: invocation.path)
        var witness = Witness(of: "the store")
        while !StopRequest.isMade {
            file.look()
            witness.look(at: store.snapshot())
            usleep(1_000)
        }
        try store.synchronize()
        withExtendedLifetime(observation) {}
        Output.standard.write("\(Report.looks)\(events.withLock { $0.count })")
    }
}

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
