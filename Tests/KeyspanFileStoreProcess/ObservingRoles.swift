@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

extension Invocation {
    /// Opens the store again and again, and looks at what it has and at the file.
    func reopen() throws {
        say(Report.ready)
        var file = FileWitness(path: path)
        var witness = Witness(of: "the reopened store")
        var count = 0
        while !StopRequest.isMade {
            witness.look(at: try open().snapshot())
            file.look()
            count += 1
        }
        say("\(Report.looks)\(count)")
    }

    /// Keeps the store open, and looks at each change that comes in, at the store and at the file all along.
    func observe() throws {
        let store = try open()
        let events = Locked((table: PropertyListTable(), witness: Witness(of: "the changes"), count: 0))
        let observation = store.observe(.all, initial: true) { change in
            events.withLock { events in
                for entry in change.entries { events.table[entry.key] = entry.new }
                events.witness.look(at: events.table)
                events.count += 1
                say("\(Report.received)\(events.witness.sum)")
            }
        }
        say(Report.ready)
        var file = FileWitness(path: path)
        var witness = Witness(of: "the store")
        while !StopRequest.isMade {
            file.look()
            witness.look(at: store.snapshot())
            usleep(1_000)  // The pace of the looks.
        }
        try store.synchronize()
        withExtendedLifetime(observation) {}
        say("\(Report.looks)\(events.withLock { $0.count })")
    }
}
