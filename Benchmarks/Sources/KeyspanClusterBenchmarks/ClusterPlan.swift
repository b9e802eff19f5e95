#if Etcd
/// How large the subjects are and how long each is measured.
struct ClusterPlan {
    /// What all benchmarks have in common.
    let measuring: Plan
    /// The number of keys of a store that is read or opened.
    let keys: Int
    /// How often a write is waited for, of which each time counts by itself.
    let writes: Int
    /// The number of different keys that are written in the background.
    let backgroundWrites: Int
    /// How often a store is opened.
    let openings: Int
    /// The numbers of clients in a fleet and of the processes that they are spread over.
    let fleets: [(clients: Int, processes: Int)]
    /// How often a fleet is notified.
    let changes: Int

    /// For figures.
    static let full = ClusterPlan(
        measuring: .full,
        keys: 10_000,
        writes: 500,
        backgroundWrites: 2_000,
        openings: 15,
        fleets: [(1_000, 1), (1_000, 10)],
        changes: 30
    )

    /// To see that everything runs; the figures mean nothing.
    static let smoke = ClusterPlan(
        measuring: .smoke,
        keys: 300,
        writes: 3,
        backgroundWrites: 300,
        openings: 2,
        fleets: [(6, 1), (6, 2)],
        changes: 2
    )
}
#endif
