import KeyspanCore
import KeyspanFileStore

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
