import KeyspanCore

extension FileBackedTable {
    /// Lets others' changes come in by themselves from now on, until the table is closed.
    func follow(with watcher: any FileWatcher) {
        let path = AbsolutePath(path, relativeTo: "/")
        let watch = watcher.watch(
            path,
            companion: JournalFile.name(beside:),
            onPolling: { [report] error in report(.notice(.polling(error, path: path.text))) },
            onChange: { [weak self] in self?.fileMayHaveChanged() }
        )
        self.watch.withLock { $0 = watch }
        // Someone may have come between the reading of the file and here.
        fileMayHaveChanged()
    }
}
