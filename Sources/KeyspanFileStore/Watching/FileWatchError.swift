/// Why the system cannot tell a store of changes to its file: the store looks at the file again and again instead.
///
/// Nothing is lost; changes by other processes arrive later, and the process wakes up regularly.
public struct FileWatchError: Error, Sendable {
    /// The absolute path of the store's file.
    public let path: String
    /// What is wrong, as a clause without a full stop.
    public let reason: String
    /// What to do about it, as a clause without a full stop.
    public let remedy: String
    /// The time between two looks at the file.
    public let interval: Duration
    /// The error that caused this one, if a system call failed: a ``SystemCallError``.
    public let underlying: (any Error)?
}

extension FileWatchError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        "\(path): cannot wait for changes, looks for them every \(interval): \(reason); \(remedy)."
    }
}

extension FileWatchError {
    /// The system cannot tell of one of the items on the way to the file.
    init(path: String, interval: Duration, _ error: ItemWatchError) {
        self.init(
            path: path,
            reason: error.reason,
            remedy: error.remedy,
            interval: interval,
            underlying: error.underlying
        )
    }
}
