@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

extension Invocation {
    /// Writes numbered batches, and acknowledges those that are durable.
    func writeBatches() throws {
        let store = try open()
        var random = choices
        var number: Int
        switch NumberedBatch.trace(of: name, in: store.snapshot()) {
        case .nothing: number = 0
        case .whole(let found): number = found
        case .torn(let what): return say("\(Report.fault)\(what)")
        }
        say("\(Report.found)\(number)")
        while !StopRequest.isMade {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                number += 1
                try store.apply(NumberedBatch(writer: name, number: number).writes)
            }
            if mode.options.durability != .everyBatch { try store.synchronize() }
            say("\(Report.acknowledged)\(number)")
        }
    }

    /// Raises a counter of its own by one again and again, by what the store says that it is.
    func increment() throws {
        let store = try open()
        for step in 1...count {
            let value = store.value(forKey: name)?.integerValue?.int64 ?? 0
            try store.apply(PropertyListBatch(.set(.init(value + 1), key: name)))
            if step.isMultiple(of: 5) { try store.synchronize() }
        }
        say(Report.ready)
        // It goes on to be one of those who share the file until nobody edits any more.
        StopRequest.wait()
        withExtendedLifetime(store) {}
    }

    /// Raises a counter that others raise as well, with batches that expect what they read.
    func incrementShared() throws {
        let store = try open()
        var done = 0
        while done < count {
            let present = store.value(forKey: name)
            var batch = PropertyListBatch(.set(.init((present?.integerValue?.int64 ?? 0) + 1), key: name))
            batch.expect(present, forKey: name)
            do {
                try store.apply(batch)
                done += 1
            } catch {
                // Someone was faster; what that one wrote is in memory now.
                if error.code != .conflict { throw error }
            }
        }
    }

    /// Edits the file as editors do: reads it, changes a key and renames a new version over it, knowing of no lock.
    func edit() throws {
        var random = choices
        var number = 0
        func editOnce() throws {
            var table = try PlainFile.read(path) ?? PropertyListTable()
            number += 1
            table[name] = .init(number)
            try PlainFile.replace(path, with: table)
        }
        say(Report.ready)
        while !StopRequest.isMade {
            try editOnce()
            usleep(UInt32.random(in: 0...10_000, using: &random))  // The pace of the edits.
        }
        // By now nobody writes but those who react to the edits, and after this one nobody edits.
        try editOnce()
        say("\(Report.acknowledged)\(number)")
    }

    /// A program of one version, which its name is: it migrates when it starts, and then raises a counter.
    func migrate() throws {
        let version = Int(name) ?? 0
        let oldStore = try JSONFileStore(path: MigrationModel.pathOfOldStore(beside: path), options: mode.options)
        let store = try open()
        // As the standard store has it.
        let defaults = Defaults(LayeredStore(registeringBelow: store))
        say("\(Report.found)\(MigrationModel.version(of: store.snapshot()))")
        try defaults.migrate(MigrationModel.plan(of: version, from: oldStore))
        var (last, attempts) = (version, 0)
        while !StopRequest.isMade {
            let table = store.snapshot()
            for fault in MigrationModel.faults(in: table) { say("\(Report.fault)\(fault)") }
            let found = MigrationModel.version(of: table)
            if found < last { say("\(Report.fault)version \(last) became \(found)") }
            last = max(last, found)
            attempts += 1
            say("\(Report.attempted)\(attempts)")
            defaults.modify(MigrationModel.runs) { $0 += 1 }
            try store.synchronize()
            say("\(Report.acknowledged)\(attempts)")
        }
    }

    /// Writes a lot, opens the store many times, and reports at each opening what the process has taken from the system.
    func soak() throws {
        // As many as a large program has.
        let keys = 200
        let report = { say("\(Report.usage)\(ResourceUsage(beside: path).text)") }
        var number = 0
        for _ in 0..<openings {
            let store = try open()
            for _ in 0..<max(1, count / openings) {
                number += 1
                try store.apply(PropertyListBatch(.set(.init(number), key: "\(name).\(number % keys)")))
                if number.isMultiple(of: 100) { try store.synchronize() }
                if number.isMultiple(of: 1_000) { report() }
            }
            report()
        }
        say("\(Report.acknowledged)\(number)")
    }

    /// Takes the lock of the file and keeps it until it is killed.
    func holdLock() throws {
        var file = try SharedFile(
            path: path,
            codec: JSONFileCodec(),
            options: FileStoreOptions(journal: mode.options.journal),
            fileSystem: InterruptRetryingFileSystem(POSIXFileSystem())
        )
        try file.lock(.exclusive)
        say(Report.ready)
        while true { pause() }
    }
}
