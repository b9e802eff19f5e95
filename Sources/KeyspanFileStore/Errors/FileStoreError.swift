/// Why a store could not open its file or save to it: which step failed, on which file, why, and what to do about it.
///
/// The file is as it was: wholly the old version, or, if ``Step/flushFolder`` failed, wholly the new one. The texts never
/// contain a value.
public struct FileStoreError: Error, Sendable {
    /// What the store was doing; steps may be added.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The step in words, to follow "cannot".
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Making the path absolute, or following the links that it names.
        public static let locate = Step("find the file")
        /// Opening the file.
        public static let open = Step("open the file")
        /// Reading its bytes.
        public static let read = Step("read the file")
        /// Making keys and values of the bytes.
        public static let parse = Step("parse the file")
        /// Looking at the contents with the validation of the store.
        public static let validate = Step("accept the file")
        /// Opening the journal beside the file, or making it.
        public static let openJournal = Step("open or make the journal")
        /// Waiting until no other process has the file locked.
        public static let lock = Step("lock the file")
        /// Reading what the journal has that the file has not.
        public static let readJournal = Step("read the journal")
        /// Writing to the journal and waiting until that is on the disk.
        public static let writeJournal = Step("write the journal")
        /// Keeping a damaged file under another name.
        public static let keepDamaged = Step("keep the damaged file")
        /// Opening the folder that the file is in, or making it for a new file.
        public static let openFolder = Step("open or make the folder")
        /// Creating the temporary file that the new version is written to.
        public static let createTemporaryFile = Step("create a temporary file")
        /// Giving the temporary file the owner and the permissions of the old version.
        public static let keepAttributes = Step("keep the owner and the permissions of the file")
        /// Writing the temporary file.
        public static let write = Step("write the temporary file")
        /// Waiting until the temporary file is on the disk.
        public static let flush = Step("flush the temporary file to the disk")
        /// Giving the temporary file the name of the file.
        public static let replace = Step("replace the file")
        /// Waiting until the new name is on the disk.
        public static let flushFolder = Step("flush the folder to the disk")
    }

    /// What the store was doing.
    public let step: Step
    /// The absolute path of the store's file.
    public let path: String
    /// What is wrong, as a clause without a full stop.
    public let reason: String
    /// What to do about it, as a clause without a full stop.
    public let remedy: String
    /// The error that caused this one: a ``SystemCallError``, or the codec's, such as ``JSONTextError``
    /// and ``PropertyListDataError``.
    public let underlying: (any Error)?

    /// The system's answer, if a system call failed: `errno`.
    public var errorNumber: Int32? { (underlying as? SystemCallError)?.errorNumber }
}

extension FileStoreError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String { "\(path): cannot \(step): \(reason); \(remedy)." }
}

extension FileStoreError {
    /// A system call failed during a step.
    init(_ step: Step, path: String, _ error: SystemCallError) {
        self.init(step: step, path: path, reason: "\(error)", remedy: error.remedy, underlying: error)
    }

    static func invalidPath(_ path: String, reason: String) -> FileStoreError {
        FileStoreError(step: .locate, path: path, reason: reason, remedy: "give the path of a file", underlying: nil)
    }

    static func notRegular(_ step: Step, path: String, _ kind: FileStatus.Kind) -> FileStoreError {
        FileStoreError(
            step: step,
            path: path,
            reason: kind == .folder ? "it is a folder" : "it is a pipe, a socket or a device",
            remedy: "move it away or give the path of a file",
            underlying: nil
        )
    }

    static func locked(path: String, after limit: Duration) -> FileStoreError {
        FileStoreError(
            step: .lock,
            path: path,
            reason: "another process has had it locked for \(limit)",
            remedy: "let that process go on or end it",
            underlying: nil
        )
    }

    static func untrustedJournal(path: String, journal: String) -> FileStoreError {
        FileStoreError(
            step: .openJournal,
            path: path,
            reason: "\(journal.debugDescription) belongs to another user or can be written by others than the file can",
            remedy: "find out who made it, and remove it",
            underlying: nil
        )
    }

    /// The journal cannot be opened, by a user to whom it does not belong as a rule.
    static func protectedJournal(path: String, journal: String, _ error: SystemCallError) -> FileStoreError {
        FileStoreError(
            step: .openJournal,
            path: path,
            reason: "\(error)",
            remedy: "let the process read and write \(journal.debugDescription), or remove that if it is empty",
            underlying: error
        )
    }

    static func tooLargeJournal(path: String, journal: String, size: Int, limit: Int) -> FileStoreError {
        FileStoreError(
            step: .readJournal,
            path: path,
            reason: "\(journal.debugDescription) has \(size) bytes, and the limit is \(limit)",
            remedy: "raise the limit of the file's size, which is half of it, or move the journal away and with it the "
                + "changes that the settings file does not have yet",
            underlying: nil
        )
    }

    static func damagedJournal(path: String, journal: String, _ fault: JournalFault) -> FileStoreError {
        FileStoreError(
            step: .readJournal,
            path: path,
            reason: "\(journal.debugDescription): \(fault.reason)",
            remedy: fault.remedy,
            underlying: nil
        )
    }

    static func damagedJournal(path: String, journal: String, at offset: Int) -> FileStoreError {
        FileStoreError(
            step: .readJournal,
            path: path,
            reason: "\(journal.debugDescription) is damaged at byte \(offset), and there are records behind that",
            remedy: "open the store with recovery, which keeps the journal and goes on without them",
            underlying: nil
        )
    }

    static func refused(path: String, _ error: any Error) -> FileStoreError {
        FileStoreError(
            step: .validate,
            path: path,
            reason: "the validation refused what it has (\(error))",
            remedy: "correct the file",
            underlying: error
        )
    }

    static func openWithOtherSettings(path: String) -> FileStoreError {
        FileStoreError(
            step: .open,
            path: path,
            reason: "this process has it open with another format or other options",
            remedy: "open it with the same options, or hand the store on instead of opening it again",
            underlying: nil
        )
    }

    /// Someone who takes no lock, such as an editor, has replaced the file in the meantime.
    static func superseded(path: String) -> FileStoreError {
        FileStoreError(
            step: .replace,
            path: path,
            reason: "someone else has just replaced it",
            remedy: "try again",
            underlying: Superseded()
        )
    }

    private struct Superseded: Error {}

    /// Whether the next attempt starts from a newer version of the file.
    var isSuperseded: Bool { underlying is Superseded }

    /// Whether the process may not do what it tried to.
    var isWriteProtection: Bool { (underlying as? SystemCallError)?.isWriteProtection ?? false }

    /// - Parameter size: How large it is; `nil` if that was not counted to the end.
    static func tooLarge(_ step: Step, path: String, size: Int? = nil, limit: Int) -> FileStoreError {
        FileStoreError(
            step: step,
            path: path,
            reason: size.map { "it has \($0) bytes, and the limit is \(limit)" }
                ?? "it would have more than \(limit) bytes, which is the limit",
            remedy: "store less in it or raise the limit",
            underlying: nil
        )
    }

    static func unparsable(path: String, _ error: FileFormatError) -> FileStoreError {
        FileStoreError(
            step: .parse,
            path: path,
            reason: error.reason,
            remedy: error.remedy ?? "correct the file, which was left as it is, or move it away",
            underlying: error.underlying
        )
    }

    static func unwritable(path: String, _ error: FileFormatError) -> FileStoreError {
        FileStoreError(
            step: .write,
            path: path,
            reason: error.reason,
            remedy: error.remedy ?? "store it in another form",
            underlying: error.underlying
        )
    }

    /// Whether another error tells the same, so that one report is enough.
    func isSameFailure(as other: FileStoreError) -> Bool {
        step == other.step && errorNumber == other.errorNumber
    }
}
