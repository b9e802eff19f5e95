internal import Dispatch
@_spi(StoreAuthors) package import KeyspanCore
internal import Synchronization

/// How threads wait until everything that was applied before is on the disk: together, so that they share flushes.
extension FileEngine {
    /// Returns when everything that was applied before is on the disk; at once if it is known to be there already.
    ///
    /// Waits for a save that is running, and saves only what that save did not include. A file that could not be used yet is
    /// read first. Other processes' writes are flushed as well, because a batch that found its values in the file did not
    /// write them.
    package func synchronize(store: String) throws(StoreError) {
        let wait = try validation.examination.beginWait(for: store)
        let request = SaveRequest()
        groupSave.run(request, leading: saveGroup)
        wait?.end()
        // Also after a failure: others' writes may have been read before it, and no refresh follows then.
        admitArrivals()
        if let error = request.error { throw .failed(.notDurable, error, store: store) }
    }

    /// Saves for several threads with one flush.
    private func saveGroup(of leader: SaveRequest, _ turn: GroupTurns<SaveRequest>.Turn) {
        let notices: [FileStoreNotice] = file.withLock { file in
            guard !file.isClosed else { return [] }
            file.askedAt = leader.askedAt
            // Their batches were applied before, so the save includes these.
            _ = turn.requests()
            do throws(FileStoreError) {
                if file.known == nil { try read(&file) }
                try save(&file, upTo: ledger.withLock { $0.generation })
                requestSave()
                requestCheckpoint(of: file)
                try flush(&file)
                isGivenUp.store(false, ordering: .relaxed)
                activity.note(.flushed(duration: leader.askedAt.duration(to: LockPatience.now)))
            } catch {
                schedules.withLock { $0[.save].noteThrown(error) }
                activity.note(.saveFailed)
                if error.isAboutReading { activity.noteStaleness() }
                // The others may have waited for less time than the options say.
                if error.isTimeout { turn.failLeader(error) } else { turn.fail(error) }
            }
            ledger.withLock { $0.rest(on: file.table) }
            return file.takeNotices()
        }
        // Before anything outside is called, which may wait for another thread of the group.
        turn.end()
        for notice in notices { report(.notice(notice)) }
    }

    /// Makes durable what others wrote to the file and the journal, and what the disk lacks, unless it is known to be there.
    private func flush(_ file: inout SharedFile) throws(FileStoreError) {
        do throws(FileStoreError) {
            if file.isUnwritten { _ = try exchange(with: &file) }
            if file.isFlushed { return }
            try locked(&file, .shared) { (file) throws(FileStoreError) in
                try catchUp(&file, tolerantly: true, toWrite: false)
                try file.flush()
            }
            if file.isUnwritten { _ = try exchange(with: &file) }
        } catch let error
            where error.isWriteProtection && error.step != .open && !file.mustBeReplaced && !file.lacksFile
        {
            // A process that may not write acknowledges nothing either.
            return
        }
    }
}

extension FileStoreError {
    /// Whether the present version of the file could not be read or accepted.
    var isAboutReading: Bool {
        switch step {
        case .locate, .open, .read, .parse, .validate, .openJournal, .readJournal: true
        default: false
        }
    }
}

/// A thread that waits until everything that it applied before is on the disk.
final class SaveRequest: GroupRequest {
    /// When the thread asked for the file.
    let askedAt = LockPatience.now
    let wake = DispatchSemaphore(value: 0)
    let size = 0

    private let failure = Locked<FileStoreError?>(nil)

    func canShareTurn(of leader: SaveRequest) -> Bool { true }

    func fail(_ error: FileStoreError) {
        failure.withLock { $0 = $0 ?? error }
    }

    /// Why the disk may lack something.
    var error: FileStoreError? { failure.withLock(\.self) }
}
