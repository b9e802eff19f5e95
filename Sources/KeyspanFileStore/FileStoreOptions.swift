@_spi(StoreAuthors) public import KeyspanCore

/// How a file store saves, shares and guards its file.
public struct FileStoreOptions: Sendable, Hashable {
    /// When a batch is on the disk.
    public enum Durability: Sendable, Hashable {
        /// Before `apply(_:)` returns.
        ///
        /// No applied batch can be lost. Each batch waits for the disk, and one that cannot be made durable is not applied at
        /// all.
        case everyBatch
        /// Within ``FileStoreOptions/saveDelay``, together with the batches applied in the meantime; the default.
        ///
        /// With a journal, other processes see a change within some milliseconds, before it is flushed. A power failure loses at
        /// most the changes of the delay; a process that is killed loses only what it has not yet handed to the system.
        case grouped
        /// With `synchronize()`, and when the store is released or the process exits.
        ///
        /// A process that is killed loses everything since.
        case onSynchronize
    }

    /// Where a change is written first.
    public enum Journal: Sendable, Hashable {
        /// To a hidden journal beside the file. A checkpoint brings it into the file within a delay, by default 2 seconds.
        ///
        /// Making a change durable costs the same whatever the size of the store.
        case beside(checkpointDelay: Duration)
        /// To no journal: each save writes the whole file.
        ///
        /// There is only one file between two saves; the journal exists during a save, as a lock.
        case none

        /// A journal beside the file, with a delay of 2 seconds.
        public static let beside = Journal.beside(checkpointDelay: .seconds(2))
    }

    /// Whose concurrent updates a batch with expectations, such as an increment, can never overwrite.
    public enum Expectations: Sendable, Hashable {
        /// Those of all processes that have the file open; the default.
        ///
        /// The batch's expectations are compared with the disk under the file's lock, and its writes are visible to the other
        /// processes before `apply(_:)` returns. With a journal that costs one append without a flush, which follows as
        /// ``FileStoreOptions/durability`` says; without a journal it costs a save of the file. A batch for which the disk
        /// cannot be read or written throws and is not applied.
        case acrossProcesses
        /// Those of the threads of this process; for a file that no other process writes.
        ///
        /// The batch's expectations are compared with memory, and nothing waits for the disk. With
        /// ``Durability/everyBatch`` this makes no difference. Migrations are always compared with the disk, because two
        /// versions of a program can run at once while one replaces the other.
        case withinProcess
    }

    /// What happens to a file that cannot be parsed when the store is opened.
    public enum Recovery: Sendable, Hashable {
        /// Opening throws and leaves the file unchanged; the default.
        case none
        /// The file is kept under a dated name, and the last good copy is restored in its place.
        ///
        /// To make this possible, each checkpoint also writes a second copy of the file. ``FileRecovery`` says what was
        /// restored.
        case lastGoodCopy
    }

    /// How a file has the keys whose names have dots, such as `tls.port`, if the store knows its keys.
    ///
    /// `{"tls": {"port": 443}}` and `{"tls.port": 443}` are the same to a store that was opened with a key of that name. A value is
    /// written in the place where it is.
    public struct Nesting: Sendable, Hashable {
        /// Where a key goes that the file does not have.
        public enum NewKeys: Sendable, Hashable {
            /// In the shape of most of the file's keys whose names have dots, and nested if there are none; the default.
            case likeOthers
            /// In nested objects.
            case nested
            /// At the top level, or in the innermost object that the file has for it, with the rest of its name.
            case flat
        }

        /// Which value counts if a file has a key twice, nested and dotted.
        ///
        /// A problem names both lines. A write changes the value that counts, and a removal removes both.
        public enum Duplicates: Sendable, Hashable {
            /// The value in the fewest objects; the default.
            ///
            /// A program that does not know the keys writes it there.
            case dottedCounts
            /// The value in the most objects.
            case nestedCounts
            /// None: the file is refused like one that cannot be parsed.
            case areRefused
        }

        /// Where a key goes that the file does not have; ``NewKeys/likeOthers`` by default.
        public var newKeys: NewKeys
        /// Which value counts if a file has a key twice; ``Duplicates/dottedCounts`` by default.
        public var duplicates: Duplicates

        /// Makes options for nested keys.
        public init(newKeys: NewKeys = .likeOthers, duplicates: Duplicates = .dottedCounts) {
            self.newKeys = newKeys
            self.duplicates = duplicates
        }

        /// The naming of the tables of a file.
        ///
        /// - Parameter names: The names that the store may nest where the file does not have them.
        fileprivate func naming(nesting names: some Sequence<String>) -> NestedNaming {
            let newNames: NestedNaming.NewNames =
                switch newKeys {
                case .likeOthers: .likeOthers
                case .nested: .nested
                case .flat: .flat
                }
            let deepestCounts =
                switch duplicates {
                case .dottedCounts, .areRefused: false
                case .nestedCounts: true
                }
            return NestedNaming(groups: GroupNames(of: names), newNames: newNames, deepestCounts: deepestCounts)
        }

        /// Whether a file with a name twice is refused.
        var refusesDuplicates: Bool {
            switch duplicates {
            case .areRefused: true
            case .dottedCounts, .nestedCounts: false
            }
        }
    }

    /// Which JSON files may have comments (`//` and `/* */`) and commas behind last members, all of which a save keeps.
    public enum Comments: Sendable, Hashable {
        /// Those whose name ends in `.jsonc`; the default.
        case inJSONC
        /// All.
        case inAllFiles

        /// Whether the file at a path may have comments.
        func areAllowed(inFileAt path: String) -> Bool {
            switch self {
            case .inJSONC: path.hasUTF8Suffix(".jsonc")
            case .inAllFiles: true
            }
        }
    }

    /// The permissions of the files and folders that the store creates; a file that is there keeps its own.
    ///
    /// What root creates in the folder of another user belongs to that user, unless everyone may put files there.
    public enum NewFiles: Sendable, Hashable {
        /// Their owner alone, whatever the umask: files have the mode 0600, and folders 0700; the default.
        case areForOwner
        /// All whom the umask of the process leaves the right to: files have the mode 0666 without the bits of the umask, and folders 0777.
        ///
        /// It is for a folder that the users of a group share, such as one with the mode 2770, and processes with the umask 007.
        case followUmask

        /// The permissions of a new folder, from which the system takes away those of the umask.
        var folderPermissions: UInt32 {
            switch self {
            case .areForOwner: 0o700
            case .followUmask: 0o777
            }
        }

        /// How a new file is opened.
        var purpose: OpenPurpose {
            switch self {
            case .areForOwner: .creating
            case .followUmask: .creatingByUmask
            }
        }
    }

    /// What happens to values that others write into the file and that keys cannot use, if the store knows its keys: values that a key
    /// cannot read, or that break its rules.
    ///
    /// Each way, the values stay in the file, and a problem names their keys and lines.
    public enum UnusableValues: Sendable, Hashable {
        /// Their keys keep the values before, and the other values of the version take effect; the default.
        ///
        /// A key that cannot use the value before either keeps none from another key of the entry that can use the new one.
        /// When the store opens, the keys have no earlier values and read their defaults.
        case areHeldBack
        /// They take effect, and their keys read their defaults.
        case areAdmitted
        /// The whole version is rejected, like one that the store's validation rejects, and a file with such a value does not open.
        case areRefused
    }

    /// When a batch is on the disk; ``Durability/grouped`` by default.
    public var durability: Durability
    /// How long a change may wait until it is saved in the background: 100 milliseconds by default.
    ///
    /// Counted from the first unsaved change, so a stream of changes cannot postpone the save. A longer delay writes less
    /// often; a shorter one loses less in a power failure. Only for ``Durability/grouped``. A negative delay counts
    /// as zero.
    public var saveDelay: Duration
    /// Whose concurrent updates a batch with expectations can never overwrite; ``Expectations/acrossProcesses`` by default.
    public var expectations: Expectations
    /// Where a change is written first; a journal ``Journal/beside`` the file by default.
    public var journal: Journal
    /// Whether the store watches the file for changes by other processes and by people; `true` by default.
    ///
    /// Otherwise the store notices them when it saves.
    public var isWatching: Bool
    /// What happens to a file that cannot be parsed.
    public var recovery: Recovery
    /// How long to wait for another process that has the file locked: 10 seconds by default.
    ///
    /// Processes normally hold the lock for milliseconds. After this time the operation throws.
    public var lockTimeout: Duration
    /// How a file has the keys whose names have dots, if the store knows its keys.
    public var nesting: Nesting
    /// Which JSON files may have comments; ``Comments/inJSONC`` by default.
    public var comments: Comments
    /// The permissions of the files that the store creates; ``NewFiles/areForOwner`` by default.
    public var newFiles: NewFiles
    /// What happens to values that others write into the file and that keys cannot use; ``UnusableValues/areHeldBack`` by default.
    public var unusableValues: UnusableValues
    /// The form in which keys write values that a property list has no kind for, such as `Codable` values and URLs; `nil`, the default,
    /// is the form of the format: readable in JSON files, JSON text in property lists, like `UserDefaults`.
    ///
    /// A value keeps the form that the file has it in.
    public var valueForm: Defaults.ValueForm?
    /// How much the store holds at most.
    public var limits: FileStoreLimits
    /// Whether names with dots lead into dictionaries; if not, each name is that of an entry, as in `UserDefaults`.
    package var namesLeadInside = true
    /// Whether reading waits for the lock; without it, the contents may lack a change that another process is making.
    package var locksToRead = true

    /// Makes options.
    public init(
        durability: Durability = .grouped,
        saveDelay: Duration = .milliseconds(100),
        expectations: Expectations = .acrossProcesses,
        journal: Journal = .beside,
        isWatching: Bool = true,
        recovery: Recovery = .none,
        lockTimeout: Duration = .seconds(10),
        nesting: Nesting = Nesting(),
        comments: Comments = .inJSONC,
        newFiles: NewFiles = .areForOwner,
        unusableValues: UnusableValues = .areHeldBack,
        valueForm: Defaults.ValueForm? = nil,
        limits: FileStoreLimits = FileStoreLimits()
    ) {
        self.durability = durability
        self.saveDelay = saveDelay
        self.expectations = expectations
        self.journal = journal
        self.isWatching = isWatching
        self.recovery = recovery
        self.lockTimeout = lockTimeout
        self.nesting = nesting
        self.comments = comments
        self.newFiles = newFiles
        self.unusableValues = unusableValues
        self.valueForm = valueForm
        self.limits = limits
    }
}

extension FileStoreOptions {
    /// How names lead into the dictionaries of a file; `nil` if each is that of an entry.
    ///
    /// - Parameter names: The names that the store may nest where the file does not have them.
    func naming(nesting names: some Sequence<String>) -> NestedNaming? {
        namesLeadInside ? nesting.naming(nesting: names) : nil
    }
}

/// Every question that the engine asks about an option, each as a `switch` without `default`: a new mode does not compile
/// until all of them have an answer for it.
extension FileStoreOptions {
    /// Where a batch is decided, and whether it is flushed before `apply(_:)` returns.
    enum CommitPath {
        /// In memory; a save follows.
        case memory
        /// In the file or its journal, under the file's lock.
        case file(isFlushing: Bool)
    }

    /// The commit path of a batch.
    func commitPath(of batch: PropertyListBatch) -> CommitPath {
        switch durability {
        case .everyBatch:
            return .file(isFlushing: true)
        case .grouped, .onSynchronize:
            guard batch.hasBindingExpectations else { return .memory }
            switch (batch.arbiter, expectations) {
            case (.memory, _), (.store, .withinProcess): return .memory
            case (.durableState, _), (.store, .acrossProcesses): return .file(isFlushing: false)
            }
        }
    }

    /// Whether unsaved changes are saved in the background.
    var savesInBackground: Bool {
        switch durability {
        case .grouped: true
        case .everyBatch, .onSynchronize: false
        }
    }

    /// Whether unsaved changes are written to the journal for other processes before they are saved.
    ///
    /// Without a journal each write of the file is flushed.
    var publishesInBackground: Bool { savesInBackground && keepsJournal }

    /// Whether changes go to a journal beside the file first.
    var keepsJournal: Bool {
        switch journal {
        case .beside: true
        case .none: false
        }
    }

    /// How long a change may wait in the journal.
    var checkpointDelay: Duration {
        switch journal {
        case .beside(let delay): delay
        case .none: .zero
        }
    }

    /// Whether a copy of the last good version is kept and restored in place of a file that cannot be parsed.
    var keepsGoodCopy: Bool {
        switch recovery {
        case .lastGoodCopy: true
        case .none: false
        }
    }
}
