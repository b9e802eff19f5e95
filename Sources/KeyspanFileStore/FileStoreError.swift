@_spi(StoreAuthors) public import KeyspanCore

/// A failure to open or save a store's file: which step failed, on which file, why, and what to do about it.
///
/// The file is intact: it is the whole old version or, if ``Step/flushFolder`` failed, the whole new one. The texts never
/// contain a value.
public struct FileStoreError: Error, Sendable {
    /// The step that failed.
    ///
    /// A `switch` needs a `default`, because steps may be added.
    public enum Step: String, Sendable {
        /// Making the path absolute, or following its symbolic links.
        case locate = "find the file"
        /// Opening the file.
        case open = "open the file"
        /// Reading its bytes.
        case read = "read the file"
        /// Listing a folder of settings, and reading its files as one version.
        case readFolder = "read the folder"
        /// Decoding keys and values from the bytes.
        case parse = "parse the file"
        /// Calling the validation of the store with the contents.
        case validate = "accept the file"
        /// Opening the journal beside the file, or creating it.
        case openJournal = "open or make the journal"
        /// Creating the lock beside the file for a store without a journal, or waiting until no other process has the file locked.
        case lock = "lock the file"
        /// Reading the records of the journal that are not in the file.
        case readJournal = "read the journal"
        /// Writing to the journal and flushing it to the disk.
        case writeJournal = "write the journal"
        /// Keeping a damaged file under another name.
        case keepDamaged = "keep the damaged file"
        /// Opening the folder of the file, or creating it for a new file.
        case openFolder = "open or make the folder"
        /// Creating the temporary file for the new version.
        case createTemporaryFile = "create a temporary file"
        /// Copying the owner and the permissions of the old version to the temporary file.
        case keepAttributes = "keep the owner and the permissions of the file"
        /// Writing the temporary file.
        case write = "write the temporary file"
        /// Flushing the temporary file to the disk.
        case flush = "flush the temporary file to the disk"
        /// Renaming the temporary file to the name of the file.
        case replace = "replace the file"
        /// Flushing the new name to the disk.
        case flushFolder = "flush the folder to the disk"
    }

    /// The step that failed.
    public let step: Step
    /// The absolute path of the store's file, or of the folder of secrets or the file in it that cannot be read.
    public let path: String
    /// The problem, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String
    /// The error that caused this one, of the system or of the file's format, if there is one.
    public let underlying: (any Error)?
    /// The keys that were only in memory when a save in the background failed: in quotes, and at most five.
    private(set) var unsavedKeys = ""

    /// The `errno` of the system call that failed, if one did.
    public var errorNumber: Int32? { (underlying as? SystemCallError)?.errorNumber }

    /// The position at which the text of the file is invalid: line and column, in Unicode scalars, both from 1.
    ///
    /// `nil` for other errors, and for a binary file.
    public var position: (line: Int, column: Int)? {
        switch underlying {
        case let error as JSONTextError: return (error.line, error.column)
        case let error as DotEnvTextError: return (error.line, error.column)
        case let error as TextFileError: return (error.line, error.column)
        case let error as PropertyListDataError:
            guard case .text(let line, let column) = error.place else { return nil }
            return (line, column)
        default: return nil
        }
    }
}

extension FileStoreError: CustomStringConvertible {
    /// The error in one sentence, that of a failed save in the background with the unsaved keys, at most five.
    public var description: String {
        let unsaved = unsavedKeys.isEmpty ? "" : " (unsaved: \(unsavedKeys))"
        return "\(path): cannot \(step.rawValue): \(reason)\(unsaved); \(remedy)."
    }
}

@_spi(StoreAuthors) extension FileStoreError: ProblemDetails {
    public var severity: Defaults.Problem.Severity { .error }

    public var fields: [String: String] {
        var fields = ["path": path, "step": "\(step)"]
        fields["errno"] = errorNumber.map { "\($0)" }
        if !unsavedKeys.isEmpty { fields["unsavedKeys"] = unsavedKeys }
        if let position {
            fields["line"] = "\(position.line)"
            fields["column"] = "\(position.column)"
        }
        return fields
    }
}

extension FileStoreError {
    /// The same failure, of a save in the background that left values of keys in memory only.
    func naming(unsaved keys: [String]) -> FileStoreError {
        var error = self
        // Entries of the library itself do not belong to keys of the program.
        error.unsavedKeys = keys.filter { !$0.hasUTF8Prefix("keyspan.") }.sorted().shortList()
        return error
    }

    /// A system call failed during a step.
    init(_ step: Step, path: String, _ error: SystemCallError) {
        self.init(step: step, path: path, reason: "\(error)", remedy: error.remedy, underlying: error)
    }

    /// A system call failed during a step.
    ///
    /// If the user lacks the permission, the error says who has it.
    init(_ step: Step, path: String, _ error: SystemCallError, in fileSystem: any FileSystem) {
        guard error.isRefusal, let place = fileSystem.refusal(of: error) else {
            self.init(step, path: path, error)
            return
        }
        self.init(step: step, path: path, reason: "\(error): \(place.clause)", remedy: place.remedy, underlying: error)
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

    /// A user to whom the file does not belong chooses what is written, and may read it.
    package static func planted(_ step: Step, path: String, _ item: PlantedItem) -> FileStoreError {
        FileStoreError(
            step: step,
            path: path,
            reason: "\(item.path.quoted) belongs to user \(item.owner), in a folder to which other users may add files",
            remedy: "find out who made it and remove it, or choose a folder of your own",
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
            reason: "\(journal.quoted) belongs to another user or can be written by others than the file can",
            remedy: "find out who made it, and remove it",
            underlying: nil
        )
    }

    /// This user, who usually does not own the journal, cannot open it.
    static func protectedJournal(
        path: String,
        journal: String,
        _ error: SystemCallError,
        in fileSystem: any FileSystem
    ) -> FileStoreError {
        FileStoreError(
            step: .openJournal,
            path: path,
            reason: FileStoreError(.openJournal, path: path, error, in: fileSystem).reason,
            remedy: "let the process read and write \(journal.quoted), or remove that if it is empty",
            underlying: error
        )
    }

    static func tooLargeJournal(path: String, journal: String, size: Int, limit: Int) -> FileStoreError {
        FileStoreError(
            step: .readJournal,
            path: path,
            reason: "\(journal.quoted) has \(size) bytes, and the limit is \(limit)",
            remedy: "raise the limit of the file's size, which is half of it, or move the journal away and with it the "
                + "changes that the settings file does not have yet",
            underlying: nil
        )
    }

    static func damagedJournal(path: String, journal: String, _ fault: JournalFault) -> FileStoreError {
        FileStoreError(
            step: .readJournal,
            path: path,
            reason: "\(journal.quoted): \(fault.reason)",
            remedy: fault.remedy,
            underlying: nil
        )
    }

    static func damagedJournal(path: String, journal: String, at offset: Int) -> FileStoreError {
        FileStoreError(
            step: .readJournal,
            path: path,
            reason: "\(journal.quoted) is damaged at byte \(offset), and there are records behind that",
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

    /// A program that takes no lock, such as an editor, has replaced the file in the meantime.
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
    package var isSuperseded: Bool { underlying is Superseded }

    /// Whether another process had the file locked for too long.
    package var isTimeout: Bool { step == .lock && underlying == nil }

    /// Whether the process has no permission to write.
    var isWriteProtection: Bool { (underlying as? SystemCallError)?.isWriteProtection ?? false }

    /// - Parameter size: The size of the file; `nil` if counting stopped at the limit.
    package static func tooLarge(_ step: Step, path: String, size: Int? = nil, limit: Int) -> FileStoreError {
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

    /// Whether another error is the same failure, so that one report is enough.
    func isSameFailure(as other: FileStoreError) -> Bool {
        step == other.step && errorNumber == other.errorNumber && path.hasSameUTF8(as: other.path)
    }
}
