/// What is worth telling about the file of a store although nothing failed: what, where, and what to do about it.
///
/// It goes to `Defaults.onProblem(_:)` with a `storeNotice`. The texts never contain a value.
public struct FileStoreNotice: Sendable {
    /// What a notice is about; kinds may be added.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The file system has no locks, so that only one process may have the file open.
        public static let withoutLocks = Kind("withoutLocks")
        /// Others than the owner and the group may put files in the folder.
        public static let worldWritableFolder = Kind("worldWritableFolder")
        /// The journal has something behind its last record that is none.
        public static let journalEndsEarly = Kind("journalEndsEarly")
        /// The file could not be parsed and was replaced by the last good copy.
        public static let recovered = Kind("recovered")
        /// A version of someone else was refused by the validation of the store.
        public static let rejected = Kind("rejected")
        /// The file cannot be read or parsed for a while now; what it had before stays in force.
        public static let unreadable = Kind("unreadable")
        /// The system does not tell of changes, so that the file is looked at again and again.
        public static let polling = Kind("polling")
    }

    /// What it is about.
    public let kind: Kind
    /// The absolute path of the store's file.
    public let path: String
    /// What has happened, as a clause without a full stop.
    public let reason: String
    /// What to do about it, as a clause without a full stop.
    public let remedy: String
    /// The error that led to it, if there is one.
    public let underlying: (any Error)?
}

extension FileStoreNotice: CustomStringConvertible {
    /// The notice in one sentence.
    public var description: String { "\(path): \(reason); \(remedy)." }
}

extension FileStoreNotice {
    static func withoutLocks(path: String, _ error: SystemCallError) -> FileStoreNotice {
        FileStoreNotice(
            kind: .withoutLocks,
            path: path,
            reason: "the file system has no locks (\(error))",
            remedy: "let only one process have the file open, or choose a path on another file system",
            underlying: error
        )
    }

    static func journalEndsEarly(
        path: String,
        journal: String,
        at offset: Int,
        _ rest: JournalReading.Rest
    ) -> FileStoreNotice {
        let isCutOff = rest == .incomplete
        return FileStoreNotice(
            kind: .journalEndsEarly,
            path: path,
            reason: isCutOff
                ? "\(journal.debugDescription) ends within a record at byte \(offset), which does not count"
                : "\(journal.debugDescription) has bytes behind its record at byte \(offset) that are none",
            remedy: isCutOff
                ? "expect this after a crash or power failure, and otherwise check the disk"
                : "check the disk; the journal is kept beside the file before anything is written to it",
            underlying: nil
        )
    }

    static func worldWritableFolder(path: String, folder: String) -> FileStoreNotice {
        FileStoreNotice(
            kind: .worldWritableFolder,
            path: path,
            reason: "every user may put files in \(folder.debugDescription)",
            remedy: "take that right away or choose a folder of your own",
            underlying: nil
        )
    }

    static func recovered(_ recovery: FileRecovery) -> FileStoreNotice {
        FileStoreNotice(
            kind: .recovered,
            path: recovery.path,
            reason: recovery.reason,
            remedy: "compare the two files",
            underlying: recovery.cause
        )
    }

    static func polling(_ error: FileWatchError, path: String) -> FileStoreNotice {
        FileStoreNotice(kind: .polling, path: path, reason: error.reason, remedy: error.remedy, underlying: error)
    }

    static func rejected(path: String, _ error: any Error) -> FileStoreNotice {
        FileStoreNotice(
            kind: .rejected,
            path: path,
            reason: "the validation refused what others wrote (\(error)), and the values before it stay in force",
            remedy: "correct the file",
            underlying: error
        )
    }

    static func unreadable(_ error: FileStoreError) -> FileStoreNotice {
        FileStoreNotice(
            kind: .unreadable,
            path: error.path,
            reason: "cannot \(error.step): \(error.reason); what it had before stays in force",
            remedy: error.remedy,
            underlying: error
        )
    }
}
