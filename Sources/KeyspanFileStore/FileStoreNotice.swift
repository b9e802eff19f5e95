@_spi(StoreAuthors) public import KeyspanCore

/// Something to know about a store's file although no operation failed: what, where, and what to do about it.
///
/// It goes to `Defaults.onProblem(_:)` with a `storeNotice`. The texts never contain the value of
/// a secret.
public struct FileStoreNotice: Sendable {
    /// The subject of a notice.
    ///
    /// A `switch` needs a `default`, because kinds may be added.
    public enum Kind: String, Sendable {
        /// The file system has no locks, so only one process may have the file open.
        case withoutLocks
        /// Users other than the owner and the group may put files in the folder.
        case worldWritableFolder
        /// The journal has bytes behind its last record that are not a record.
        case journalEndsEarly
        /// The file could not be parsed and was replaced by the last good copy.
        case recovered
        /// The validation of the store rejected another writer's version.
        case rejected
        /// Another writer gave keys values that they cannot use; these keys keep the values before.
        case valuesHeldBack
        /// The file has been unreadable or unparsable for some seconds; its previous values stay in effect.
        case unreadable
        /// The system does not report changes of the file, so the store polls it.
        case polling
        /// A file in a folder of secrets is not taken as a value.
        case unusableSecret
        /// The file has a key twice, nested and with dots, and the options say which value counts.
        case keyHeldTwice

        /// How much a notice of this kind matters.
        public var severity: Defaults.Problem.Severity {
            switch self {
            case .journalEndsEarly, .recovered, .polling: .notice
            case .withoutLocks, .worldWritableFolder, .rejected, .valuesHeldBack, .unreadable, .keyHeldTwice: .warning
            // A key reads its default in place of the secret.
            case .unusableSecret: .error
            }
        }
    }

    /// The subject.
    public let kind: Kind
    /// The absolute path of the store's file, or of the folder of secrets or the file in it that the notice is about.
    public let path: String
    /// The event, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String
    /// The error that led to the notice, if there is one.
    public let underlying: (any Error)?
}

extension FileStoreNotice: CustomStringConvertible {
    /// The notice in one sentence.
    public var description: String { "\(path): \(reason); \(remedy)." }
}

@_spi(StoreAuthors) extension FileStoreNotice: ProblemDetails {
    public var severity: Defaults.Problem.Severity { kind.severity }

    public var fields: [String: String] {
        var fields = ["kind": kind.rawValue, "path": path]
        fields.add(underlying)
        return fields
    }
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
                ? "\(journal.quoted) ends within a record at byte \(offset), which does not count"
                : "\(journal.quoted) has bytes behind its record at byte \(offset) that are none",
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
            reason: "every user may put files in \(folder.quoted)",
            remedy: "remove that permission, or choose a folder of your own",
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
        FileStoreNotice(
            kind: .polling,
            path: path,
            reason: error.reason,
            remedy: error.remedy,
            underlying: error.underlying
        )
    }

    /// The notice of a version that was rejected, or of which values are held back.
    static func rejected(path: String, _ error: any Error) -> FileStoreNotice {
        if let held = error as? HeldValues { return valuesHeldBack(held, path: path) }
        return FileStoreNotice(
            kind: .rejected,
            path: path,
            reason: "the validation refused what others wrote (\(error)), and the values before it stay in force",
            remedy: "correct the file",
            underlying: error
        )
    }

    private static func valuesHeldBack(_ held: HeldValues, path: String) -> FileStoreNotice {
        FileStoreNotice(
            kind: .valuesHeldBack,
            path: path,
            reason: "others wrote what keys cannot use (\(held)), and the values before it stay in force",
            remedy: "correct the file",
            underlying: held
        )
    }

    static func unusableSecret(_ error: FileStoreError) -> FileStoreNotice {
        FileStoreNotice(
            kind: .unusableSecret,
            path: error.path,
            reason: "cannot \(error.step.rawValue): \(error.reason); it gives no key a value",
            remedy: error.remedy,
            underlying: error
        )
    }

    static func keyHeldTwice(_ key: KeyHeldTwice, path: String) -> FileStoreNotice {
        let lines =
            if let counting = key.countingLine, let other = key.otherLine {
                ": line \(counting) counts, and line \(other) does not"
            } else {
                ""
            }
        return FileStoreNotice(
            kind: .keyHeldTwice,
            path: path,
            reason: "the key \(key.key.quoted) is there twice, nested and with dots\(lines)",
            remedy: "remove one of the two",
            underlying: nil
        )
    }

    static func unreadable(_ error: FileStoreError) -> FileStoreNotice {
        FileStoreNotice(
            kind: .unreadable,
            path: error.path,
            reason: "cannot \(error.step.rawValue): \(error.reason); what it had before stays in force",
            remedy: error.remedy,
            underlying: error
        )
    }
}

/// The result of recovering a file that could not be parsed.
public struct FileRecovery: Sendable {
    /// The absolute path of the store's file.
    let path: String
    /// The path of the copy that keeps the damaged file unchanged.
    public let keptFile: String
    /// Whether there was a good copy of an earlier version; without one, only the journal was restored.
    public let hadGoodCopy: Bool
    /// The number of keys that were restored.
    public let restoredKeys: Int
    /// Why the file could not be parsed.
    public let cause: FileStoreError
}

extension FileRecovery: CustomStringConvertible {
    /// The recovery in one sentence.
    public var description: String { "\(path): \(reason)." }

    var reason: String {
        let source = hadGoodCopy ? "the last good copy and the journal" : "the journal alone, without a good copy"
        return "the file cannot be parsed (\(cause.reason)) and is kept as \(keptFile.quoted); "
            + "\(restoredKeys) keys were restored from \(source), and what else it had was not"
    }
}
