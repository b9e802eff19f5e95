import KeyspanFileStore

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
