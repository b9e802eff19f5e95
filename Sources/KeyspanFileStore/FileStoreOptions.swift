/// How a file store saves, shares and guards its file.
public struct FileStoreOptions: Sendable, Hashable {
    /// When a batch is on the disk.
    public enum Durability: Sendable, Hashable {
        /// Before `apply(_:)` returns.
        ///
        /// Nothing is lost that was applied. Each batch waits for the disk, and one that cannot be made durable is not
        /// applied at all.
        case everyBatch
        /// Within ``FileStoreOptions/saveDelay``, together with those that came in the meantime; unless set.
        ///
        /// A process that is killed loses at most the changes of that time, a power failure no more.
        case grouped
        /// With `synchronize()`, and when the store is released or the process exits.
        ///
        /// A process that is killed loses everything since.
        case onSynchronize
    }

    /// Where a change is written first.
    public enum Journal: Sendable, Hashable {
        /// To a journal beside the file, hidden, from which it comes into the file within a delay; 2 seconds unless set.
        ///
        /// Making a change durable costs the same whatever the size of the store.
        case beside(foldDelay: Duration)
        /// To no journal: each save writes the whole file.
        ///
        /// There is only the one file between two saves; the journal exists during a save, as a lock.
        case none

        /// A journal beside the file, with a delay of 2 seconds.
        public static let beside = Journal.beside(foldDelay: .seconds(2))
    }

    /// Which writers a batch with expectations, such as an increment, can lose no update to.
    public enum Expectations: Sendable, Hashable {
        /// All processes that have the file open; unless set.
        ///
        /// What a batch expects is compared with the disk under the file's lock, and what the batch writes is visible to
        /// the other processes before `apply(_:)` returns. With a journal that costs one append without a flush, which
        /// follows as ``FileStoreOptions/durability`` says; without one it costs a save of the file. A batch that the disk
        /// cannot decide, or does not take, throws and is not applied.
        case acrossProcesses
        /// The threads of this process; for a file that no other process writes.
        ///
        /// What a batch expects is compared with memory, and nothing waits for the disk. With
        /// ``Durability/everyBatch`` it makes no difference. Migrations are decided by the disk all the same, because two
        /// versions of a program can run at once while one takes the place of the other.
        case withinProcess
    }

    /// What happens to a file that cannot be parsed when the store is opened.
    public enum Recovery: Sendable, Hashable {
        /// Opening throws and leaves the file; unless set.
        case none
        /// The file is kept under a dated name, and the last good copy is restored in its place.
        ///
        /// For that a second copy of the file is written each time the file is. ``FileRecovery`` says what was restored.
        case lastGoodCopy
    }

    /// When a batch is on the disk; ``Durability/grouped`` unless set.
    public var durability: Durability
    /// How long a change may wait until it is saved in the background: 100 milliseconds unless set.
    ///
    /// Counted from the first change that is not saved, so a stream of changes cannot postpone the save. A longer
    /// delay writes less often; a shorter one loses less when the process is killed. Only for ``Durability/grouped``. A
    /// negative delay counts as zero.
    public var saveDelay: Duration
    /// Which writers a batch with expectations can lose no update to; ``Expectations/acrossProcesses`` unless set.
    public var expectations: Expectations
    /// Where a change is written first; to a ``Journal/beside`` unless set.
    public var journal: Journal
    /// Whether changes by other processes and by people come in by themselves; they do unless set.
    ///
    /// If not, they come in when this process saves.
    public var isWatching: Bool
    /// What happens to a file that cannot be parsed.
    public var recovery: Recovery
    /// How long to wait for another process that has the file locked: 10 seconds unless set.
    ///
    /// As a rule that takes a moment. After that time it is an error.
    public var lockTimeout: Duration
    /// What the store holds at most.
    public var limits: FileStoreLimits

    /// Makes options.
    public init(
        durability: Durability = .grouped,
        saveDelay: Duration = .milliseconds(100),
        expectations: Expectations = .acrossProcesses,
        journal: Journal = .beside,
        isWatching: Bool = true,
        recovery: Recovery = .none,
        lockTimeout: Duration = .seconds(10),
        limits: FileStoreLimits = FileStoreLimits()
    ) {
        self.durability = durability
        self.saveDelay = saveDelay
        self.expectations = expectations
        self.journal = journal
        self.isWatching = isWatching
        self.recovery = recovery
        self.lockTimeout = lockTimeout
        self.limits = limits
    }
}

extension FileStoreOptions {
    /// How the file is shared and kept.
    var policy: FilePolicy {
        FilePolicy(
            keepsJournal: journal != .none,
            recovers: recovery == .lastGoodCopy,
            lockLimit: lockTimeout,
            maximumSize: limits.fileSize
        )
    }

    /// How long a change may wait in the journal.
    var foldDelay: Duration {
        if case .beside(let delay) = journal { delay } else { .zero }
    }
}
