internal import KeyspanCore

/// The writes of this process become visible to other processes before they are flushed.
///
/// A write in memory hands them to a background thread, which appends what has gathered until its turn to the journal. So the
/// writing thread never waits for the disk, and a stream of writes costs one record in each interval.
extension FileEngine {
    /// Arranges that unsaved writes become visible to other processes soon, if they are saved in the background.
    func requestPublication() {
        guard options.publishesInBackground else { return }
        guard let delay = schedules.withLock({ $0.publication.request(at: LockPatience.now) }) else { return }
        publishLater(after: delay) { [weak self] in self?.publish() }
    }

    /// Writes unsaved writes to the journal without a flush, which follows with the next save.
    private func publish() {
        schedules.withLock { $0.publication.begin(at: LockPatience.now) }
        defer { admitArrivals() }
        do throws(FileStoreError) {
            try withFile { (file) throws(FileStoreError) in
                guard ledger.withLock({ $0.hasOutgoing }) else { return }
                _ = try exchange(with: &file, flushing: false)
                requestCheckpoint(of: file)
            }
        } catch {
            // The save makes another attempt, and reports its failure.
        }
    }
}

/// Decides when writes become visible to other processes, as a value without clock, thread or disk.
package struct PublicationSchedule: Sendable {
    private var isArranged = false
    private var last: LockPatience.Instant?

    /// Makes a schedule before the first publication.
    package init() {}

    /// The shortest time between two publications.
    ///
    /// Long enough for a stream of writes to cost little, and short enough for others to see each within some milliseconds.
    package static let interval = Duration.milliseconds(1)

    /// Notes that there are writes to publish.
    ///
    /// - Returns: How long from now the publication begins; `nil` if one is arranged.
    package mutating func request(at now: LockPatience.Instant) -> Duration? {
        if isArranged { return nil }
        isArranged = true
        guard let last else { return .zero }
        return max(Self.interval - last.duration(to: now), .zero)
    }

    /// Notes that a publication begins, which includes all requests until now.
    package mutating func begin(at now: LockPatience.Instant) {
        (isArranged, last) = (false, now)
    }
}
