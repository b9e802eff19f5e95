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
        follow(by: watch)
        // Someone may have come between the reading of the file and here.
        fileMayHaveChanged()
    }

    /// Lets changes come in by this watch, or by none, in place of the one before.
    func follow(by watch: FileWatch?) {
        let replaced = self.watch.withLock { present in
            defer { present = watch }
            return present
        }
        // Outside the lock, because the end of a watch calls out.
        replaced?.cancel()
    }
}
