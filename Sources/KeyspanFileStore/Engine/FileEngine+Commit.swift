@_spi(StoreAuthors) package import KeyspanCore
internal import Synchronization

/// How batches are applied: in memory with a save that follows, or in the file before memory shows them.
extension FileEngine {
    /// Applies a batch, and arranges that it is saved.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    package func apply(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        try checkNotValidating(store: store)
        try options.limits.check(batch, store: store)
        let batch = try codec.written(batch, store: store)
        try size.check(batch, store: store) { () throws(StoreError) -> Int? in
            var table = contents.snapshot()
            _ = try table.apply(batch, store: store)
            do throws(FileFormatError) {
                return try codec.encode(table, upTo: options.limits.fileSize)?.bytes.count
            } catch {
                throw error.storeError(store: store, key: nil)
            }
        }
        switch options.commitPath(of: batch) {
        case .memory: try commitInMemory(batch, store: store)
        case .file(let isFlushing): try commitInFile(batch, flushing: isFlushing, store: store)
        }
        contents.deliver()
    }

    /// Runs work that blocks its thread on a thread of the engine's own, in the scope of the caller.
    func runBlocking(_ work: @escaping @Sendable () throws(StoreError) -> Void) async throws(StoreError) {
        try await commits.run(work)
    }

    /// Applies a batch to the values that this process knows, and arranges that it is saved.
    private func commitInMemory(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        var isFirst = false
        while try !contents.commit(
            batch,
            store: store,
            unless: { isDeciding.load(ordering: .relaxed) && ledger.withLock { $0.mustWait(batch) } },
            recording: { _ in isFirst = ledger.withLock { $0.record(batch) } }
        ) {
            // Until the thread that writes the other batch to the file has made it visible in memory.
            file.withLock { _ in }
        }
        if isFirst { requestSave() }
    }

    /// Applies a batch if its expectations match what all processes have written, and makes it visible to them first.
    ///
    /// On an error, the batch has not happened: it cannot wait in memory until the disk accepts it, because by then the values
    /// that it depends on would be older.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - isFlushing: Whether it is on the disk on return; if not, the flush follows as the durability says.
    ///   - store: The store's name, for errors.
    private func commitInFile(
        _ batch: PropertyListBatch,
        flushing isFlushing: Bool,
        store: String
    ) throws(StoreError) {
        do throws(BatchFailure) {
            try withFile { (file) throws(BatchFailure) in
                try locked(&file, .exclusive) { (file) throws(BatchFailure) in
                    try catchUp(&file, toCommit: batch, store: store)
                    try commit(batch, to: &file, flushing: isFlushing, store: store)
                }
            }
        } catch {
            admitArrivals()
            throw error.storeError(store: store)
        }
        admitArrivals()
        requestSave()
        requestCheckpoint()
    }

    private func commit(
        _ batch: PropertyListBatch,
        to file: inout SharedFile,
        flushing isFlushing: Bool,
        store: String
    ) throws(BatchFailure) {
        defer { isDeciding.store(false, ordering: .relaxed) }
        var pending = PendingWrites()
        do throws(StoreError) {
            // Writes that other threads make from here on are later than the batch, and wait for it if they depend on its
            // values.
            try contents.inspect { (table) throws(StoreError) in
                var table = table
                _ = try table.apply(batch, store: store)
                pending = ledger.withLock { $0.takeOutgoing(before: batch) }
                isDeciding.store(true, ordering: .relaxed)
            }
        } catch {
            throw .store(error)
        }
        var own = PendingWrites()
        own.append(batch)
        var writes = pending
        writes.append(own)
        do throws(FileStoreError) {
            // A value that memory already has need not be on the disk yet: another process may have written it.
            try file.write(file.missing(writes.delta(over: file.table)), flushing: isFlushing)
        } catch {
            ledger.withLock { $0.putBack(pending) }
            file.restoreKnownVersion()
            throw .file(error)
        }
        // The batch is on the disk, so no check may reject it from here on.
        contents.merge(isQuiet: batch.isQuietNow, in: .current) { table in
            ledger.withLock { $0.admit(own, isFlushed: isFlushing, to: &table) }
        }
    }

    /// Brings memory up to date with all processes' writes, as far as a batch depends on them.
    ///
    /// - Throws: A conflict if the batch depends on a value that a validation rejects.
    private func catchUp(
        _ file: inout SharedFile,
        toCommit batch: PropertyListBatch,
        store: String
    ) throws(BatchFailure) {
        do throws(FileStoreError) {
            // A batch that depends on the file's values cannot be decided without them.
            try catchUp(&file, tolerantly: options.keepsJournal && !batch.hasBindingExpectations)
        } catch {
            throw .file(error)
        }
        let path = path
        let rejection = validation.admit(from: ledger, to: contents) { error in
            file.notices.append(.rejected(path: path, error))
        }
        guard let rejection, batch.hasBindingExpectations else { return }
        let keys = batch.expectations.lazy.map(\.key)
        guard let key = ledger.withLock({ $0.awaited(of: keys) }) else { return }
        throw .store(.conflict(key: key, store: store, rejectedBy: rejection))
    }

    /// Lets other processes' writes take effect in memory, and notifies observers.
    func admitArrivals() {
        _ = validation.admit(from: ledger, to: contents) { error in
            report(.notice(.rejected(path: path, error)))
        }
        // After the arrivals, most of which then need no memory of their own.
        if let reading = reading.withLock({ $0.take() }) { contents.move(to: reading.table, from: reading.written) }
        contents.deliver()
    }
}

/// A failure of work under the file's lock, which may be a failure of the file.
protocol FileFailure: Error {
    /// Makes the failure of work that failed because of the file.
    init(_ error: FileStoreError)
    /// Whether the work failed only because another program has replaced the file meanwhile.
    var isSuperseded: Bool { get }
}

extension FileStoreError: FileFailure {
    init(_ error: FileStoreError) { self = error }
}

/// Why a batch that is committed in the file did not happen.
private enum BatchFailure: FileFailure {
    /// It could not be made durable.
    case file(FileStoreError)
    /// It cannot be applied.
    case store(StoreError)

    init(_ error: FileStoreError) { self = .file(error) }

    var isSuperseded: Bool {
        switch self {
        case .file(let error): error.isSuperseded
        case .store: false
        }
    }

    /// The error for the caller.
    func storeError(store: String) -> StoreError {
        switch self {
        case .file(let error): .notDurable(error, store: store)
        case .store(let error): error
        }
    }
}

extension StoreError {
    /// A batch depends on a value that a validation rejects.
    fileprivate static func conflict(key: String, store: String, rejectedBy error: any Error) -> StoreError {
        StoreError(
            .conflict,
            store: store,
            key: key,
            reason:
                "the batch expects something of the key, and the validation refused what the file has now (\(error))",
            remedy: "correct the file",
            underlying: error
        )
    }

    /// Writes that were applied, or were to be applied, could not be made durable.
    static func notDurable(_ error: FileStoreError, store: String) -> StoreError {
        StoreError(
            .notDurable,
            store: store,
            reason: "cannot \(error.step.rawValue): \(error.reason)",
            remedy: error.remedy,
            underlying: error
        )
    }
}
