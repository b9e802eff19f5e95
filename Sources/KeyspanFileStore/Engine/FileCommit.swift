internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

/// One thread's batch on its way to the file.
final class FileCommit: GroupRequest {
    let batch: PropertyListBatch
    /// The name of the thread's store, for errors.
    let store: String
    /// The most bytes that its writes add to the file; about as many as they take in a record.
    let size: Int
    /// The bytes that its writes add to the estimated size of the file.
    let growth: Int
    /// Whether the batch depends on the values of the file.
    let isBinding: Bool
    /// Whether the change is quiet, whichever thread commits the batch.
    let isQuiet: Bool
    let scope = OperationScope.current
    let thread = ThreadIdentity.current
    /// When the thread asked for the file.
    let askedAt = LockPatience.now

    private let failure = Locked<BatchFailure?>(nil)
    let wake = DispatchSemaphore(value: 0)

    /// Makes a commit on the thread that asks for it.
    init(of batch: PropertyListBatch, growth: Int, store: String) {
        self.batch = batch
        self.store = store
        self.growth = growth
        size = FileSizeEstimate.growth(by: batch)
        isBinding = batch.hasBindingExpectations
        isQuiet = batch.isQuietNow
    }

    func canShareTurn(of leader: FileCommit) -> Bool { isBinding == leader.isBinding }

    /// Notes that the batch has not happened.
    func fail(_ error: BatchFailure) {
        failure.withLock { $0 = $0 ?? error }
    }

    /// Whether the batch has not happened.
    var hasFailed: Bool { failure.withLock { $0 != nil } }

    /// Whether the batch is in the file.
    var outcome: Result<Void, BatchFailure> {
        failure.withLock { $0.map { .failure($0) } ?? .success(()) }
    }
}
