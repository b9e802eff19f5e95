import KeyspanCore

/// What opening a table does if there is a file that cannot be used.
package enum UnusableFile: Sendable {
    /// Opening throws.
    case isRefused
    /// The table begins empty, reports the error, and reads the file as soon as that is possible.
    ///
    /// Until then every save fails, so the file stays as it is, and a batch with expectations is refused, because nobody knows
    /// what it rests on. When the file is read, its values come into the table as changes by others do: a key that was written
    /// meanwhile keeps what was written, and any other key gets the file's value.
    case isAwaited
}

extension SharedFile {
    /// Reads the file and its journal for the first time.
    ///
    /// - Parameter unusable: What happens if the file cannot be used.
    /// - Returns: What was done about a file that could not be parsed, and why the file could not be used if it is awaited.
    /// - Throws: ``FileStoreError`` if the file cannot be used and is not awaited.
    mutating func open(
        _ unusable: UnusableFile
    ) throws(FileStoreError) -> (recovery: FileRecovery?, failure: FileStoreError?) {
        do throws(FileStoreError) {
            return (try open(), nil)
        } catch {
            guard unusable == .isAwaited else { throw error }
            return (nil, error)
        }
    }

    /// Whether the file could not be used when it was opened, and has not been read since.
    var isAwaited: Bool { known == nil }
}

extension FileBackedTable {
    /// Whether the file could not be used when it was opened, and has not been read since.
    var isAwaitingFile: Bool { file.withLock { $0.isAwaited } }

    /// Reports why the file cannot be used, and arranges to look at it again, with growing intervals.
    func awaitFile(after failure: FileStoreError) {
        report(.failure(failure))
        // The work in the background fails for the same reason, which is no news.
        schedules.withLock { schedules in
            schedules[.refresh].callerWasTold(failure)
            schedules[.save].callerWasTold(failure)
        }
        fileMayHaveChanged()
    }
}
