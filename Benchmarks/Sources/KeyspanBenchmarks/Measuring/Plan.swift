/// How large the subjects are and how long each is measured.
struct Plan {
    /// How often subject and floor take turns.
    let rounds: Int
    /// The least time that either is measured in one round.
    let roundLength: Duration
    /// The number of keys in a store whose size is not the point.
    let keys: Int
    /// The numbers of keys in files whose size is the point.
    let fileSizes: [Int]
    /// The number of keys in the smallest file that is opened.
    let smallFileSize: Int
    /// The number of records in a journal that is read.
    let journalRecords: Int
    /// The least time of a round that includes a checkpoint of a journal.
    let foldingRoundLength: Duration
    /// The operations in one call of a body that takes nanoseconds.
    let operations: Int
    /// The number of keys of which each is read once.
    let readKeys: Int
    /// The number of keys that a store is asked for in turn: more than a processor keeps beside it, as one key is.
    let askedKeys: Int
    /// The reads of each thread when several read at once: enough to make the start of a thread negligible.
    let readsPerThread: Int
    /// The writes that another thread has made at least while keys are read.
    let writesBesideReads: Int
    /// The durable writes of each thread when several write at once.
    let durableWritesPerThread: Int
    /// How often another process is waited for, of which each time counts by itself.
    let latencies: Int

    /// For figures.
    static let full = Plan(
        rounds: 15,
        roundLength: .milliseconds(20),
        keys: 10_000,
        fileSizes: [1_000, 10_000, 100_000],
        smallFileSize: 10,
        journalRecords: 1_000,
        foldingRoundLength: .milliseconds(2_500),
        operations: 1_000,
        readKeys: 100,
        askedKeys: 512,
        readsPerThread: 200_000,
        writesBesideReads: 20_000,
        durableWritesPerThread: 32,
        latencies: 200
    )

    /// To see that everything runs; the figures mean nothing.
    static let smoke = Plan(
        rounds: 2,
        roundLength: .zero,
        keys: 200,
        fileSizes: [10, 100, 1_000],
        smallFileSize: 3,
        journalRecords: 10,
        foldingRoundLength: .zero,
        operations: 100,
        readKeys: 10,
        askedKeys: 16,
        readsPerThread: 1_000,
        writesBesideReads: 10,
        durableWritesPerThread: 2,
        latencies: 3
    )
}
