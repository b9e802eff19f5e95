import KeyspanCore
import KeyspanFileStore

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
