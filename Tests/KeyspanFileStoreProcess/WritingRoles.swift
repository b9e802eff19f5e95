@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

/// Writes numbered batches, and acknowledges those that are durable.
struct Writer: Work {
    let invocation: Invocation

    func run() throws {
        let store = try invocation.open()
        var number: Int
        switch NumberedBatch.trace(of: invocation.name, in: store.snapshot()) {
        case .nothing: number = 0
        case .whole(let found): number = found
        case .torn(let what):
            Output.standard.write("\(Report.fault)\(what)")
            return
        }
        Output.standard.write("\(Report.found)\(number)")
        while !StopRequest.isMade {
            for _ in 0..<Int.random(in: 1...3) {
                number += 1
                try store.apply(NumberedBatch(writer: invocation.name, number: number).writes)
            }
            if invocation.mode.options.durability != .everyBatch { try store.synchronize() }
            Output.standard.write("\(Report.acknowledged)\(number)")
        }
    }
}

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

/// Edits the file as editors do: reads it, changes a key and renames a new version over it, knowing of no lock.
struct Editor: Work {
    let invocation: Invocation

    func run() throws {
        var number: Int64 = 0
        var overwritten = 0
        while !StopRequest.isMade {
            overwritten += try edit(&number) ? 0 : 1
            usleep(UInt32.random(in: 0...10_000))
        }
        // By now nobody writes but those who react to the edits, and after this one nobody edits.
        _ = try edit(&number)
        Output.standard.write("\(Report.overwritten)\(overwritten)")
        Output.standard.write("\(Report.acknowledged)\(number)")
    }

    /// Raises the editor's key by one.
    ///
    /// - Returns: Whether the last edit was still in the file.
    private func edit(_ number: inout Int64) throws -> Bool {
        var table = try PlainFile.read(invocation.path) ?? PropertyListTable()
        let isThere = number == 0 || table[invocation.name]?.integerValue?.int64 == number
        number += 1
        table[invocation.name] = .integer(PropertyListInteger(number))
        try PlainFile.replace(invocation.path, with: table)
        return isThere
    }
}

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

/// A program of one version, which its name is: it migrates when it starts, and then raises a counter.
struct Migrator: Work {
    let invocation: Invocation

    func run() throws {
        let version = Int(invocation.name) ?? 0
        let oldPath = MigrationModel.pathOfOldStore(beside: invocation.path)
        let oldStore = try JSONFileStore(path: oldPath, options: invocation.mode.options)
        let store = try invocation.open()
        // As the standard store has it.
        let defaults = Defaults(LayeredStore(registeringBelow: store))
        Output.standard.write("\(Report.found)\(MigrationModel.version(of: store.snapshot()))")
        try defaults.migrate(MigrationModel.plan(of: version, from: oldStore))
        var last = version
        var attempts = 0
        while !StopRequest.isMade {
            let table = store.snapshot()
            for fault in MigrationModel.faults(in: table) { Output.standard.write("\(Report.fault)\(fault)") }
            let found = MigrationModel.version(of: table)
            if found < last { Output.standard.write("\(Report.fault)version \(last) became \(found)") }
            last = max(last, found)
            attempts += 1
            Output.standard.write("\(Report.attempted)\(attempts)")
            defaults.modify(MigrationModel.runs) { $0 += 1 }
            try store.synchronize()
            Output.standard.write("\(Report.acknowledged)\(attempts)")
        }
    }
}

/// Writes a lot, opens the store many times, and tells at each opening what the process has taken from the system.
struct Soak: Work {
    let invocation: Invocation

    /// As many as a large program has.
    private static let keys = 200

    func run() throws {
        let perOpening = max(1, invocation.count / invocation.openings)
        var number = 0
        for _ in 0..<invocation.openings {
            let store = try invocation.open()
            for _ in 0..<perOpening {
                number += 1
                let key = "\(invocation.name).\(number % Self.keys)"
                try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: key)))
                if number.isMultiple(of: 100) { try store.synchronize() }
                if number.isMultiple(of: 1_000) { tell() }
            }
            tell()
        }
        Output.standard.write("\(Report.acknowledged)\(number)")
    }

    private func tell() {
        Output.standard.write("\(Report.usage)\(ResourceUsage(beside: invocation.path).text)")
    }
}

/// Takes the lock of the file and keeps it until it is killed.
struct LockHolder: Work {
    let invocation: Invocation

    func run() throws {
        var file = try SharedFile(
            path: invocation.path,
            codec: JSONFileCodec(),
            options: FileStoreOptions(journal: invocation.mode.options.journal),
            fileSystem: InterruptRetryingFileSystem(POSIXFileSystem())
        )
        try file.lock(.exclusive)
        Output.standard.write(Report.ready)
        while true { pause() }
    }
}
