import KeyspanFileStore

/// Takes the lock of the file and keeps it until it is killed.
struct LockHolder: Work {
    let invocation: Invocation

    func run() throws {
        var file = try SharedFile(
            path: invocation.path,
            codec: JSONFileCodec(),
            policy: FilePolicy(keepsJournal: invocation.mode.options.journal != .none),
            fileSystem: InterruptRetryingFileSystem(POSIXFileSystem())
        )
        try file.lock(.exclusive)
        Output.standard.write(Report.ready)
        while true { pause() }
    }
}
