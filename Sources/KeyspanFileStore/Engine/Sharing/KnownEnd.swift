internal import KeyspanCore

/// The end of the journal as this process knows it, which any thread can compare with the disk.
///
/// The process's own writes cause events like those of others. They are recognized here, with one read and without the file's
/// mutex and lock, for which the engine would compete with the next write.
final class KnownEnd: Sendable {
    /// The last known record, and the position behind it.
    struct Tail: Sendable {
        /// Where the record begins.
        let start: Int
        /// Where it ends.
        let end: JournalPosition
    }

    private struct State {
        /// The open journal; it is closed only after it was removed from here.
        var journal: JournalFile?
        var present: Tail?
        /// The end after a write that is under way.
        var next: Tail?
    }

    private let state = Locked(State())

    /// The largest record that is read to be recognized.
    private static let maximumSize = 4096

    /// Notes the end of the journal.
    ///
    /// - Parameters:
    ///   - journal: The open journal; `nil` before it is closed.
    ///   - tail: Its end; `nil` if that must be read under the lock.
    func note(_ tail: Tail?, of journal: JournalFile?) {
        state.withLock { state in
            (state.journal, state.present, state.next) = (journal, tail, nil)
        }
    }

    /// Notes the end of the journal if the write that is about to begin succeeds.
    func noteWrite(to tail: Tail) {
        state.withLock { $0.next = tail }
    }

    /// Whether the journal ends where this process knows it to end, or where its present write ends.
    ///
    /// The checksum of a record depends on the epoch and on all records before it.
    func isPresent() -> Bool {
        state.withLock { state in
            guard let journal = state.journal, let present = state.present else { return false }
            // In the usual case the event is that of the write.
            if let next = state.next, Self.isEnd(next, of: journal) { return true }
            return Self.isEnd(present, of: journal)
        }
    }

    private static func isEnd(_ tail: Tail, of journal: JournalFile) -> Bool {
        let size = tail.end.offset - tail.start
        guard size <= maximumSize,
            let bytes = try? journal.read(from: tail.start, to: tail.end.offset + JournalFrame.headLength),
            bytes.count >= size,
            JournalFrame.chain(behind: bytes.prefix(size)) == tail.end.chain
        else { return false }
        return bytes.dropFirst(size).areZeros
    }
}
