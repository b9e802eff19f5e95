/// What was done about a file that could not be parsed.
public struct FileRecovery: Sendable {
    /// The absolute path of the store's file.
    public let path: String
    /// Where the bad file was kept as it was.
    public let keptFile: String
    /// Whether there was a good copy of an earlier version; without one only the journal was there to restore from.
    public let hadGoodCopy: Bool
    /// The number of keys that the store has now.
    public let restoredKeys: Int
    /// Why the file could not be parsed.
    public let cause: FileStoreError
}

extension FileRecovery: CustomStringConvertible {
    /// The recovery in one sentence.
    public var description: String { "\(path): \(reason)." }

    var reason: String {
        let source = hadGoodCopy ? "the last good copy and the journal" : "the journal alone, without a good copy"
        return "the file cannot be parsed (\(cause.reason)) and is kept as \(keptFile.debugDescription); "
            + "\(restoredKeys) keys were restored from \(source), and what else it had was not"
    }
}
