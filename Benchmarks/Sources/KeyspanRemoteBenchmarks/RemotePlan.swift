#if Remote
/// How large the subjects are and how long each is measured.
struct RemotePlan {
    /// What all benchmarks have in common.
    let measuring: Plan
    /// The number of keys of a store that is read, and of a document that is taken.
    let keys: Int
    /// The number of clients with traits of their own that a publisher was asked by before a write.
    let contexts: Int
    /// The number of streams in the process of a publisher.
    let streams: Int
    /// How often a change is waited for, of which each time counts by itself.
    let changes: Int
    /// The numbers of clients on a stream and of the processes that they are spread over.
    let fleets: [(clients: Int, processes: Int)]
    /// How often a fleet is notified.
    let fleetChanges: Int
    /// The number of clients of a simulation.
    let simulatedClients: Int

    /// For figures.
    static let full = RemotePlan(
        measuring: .full,
        keys: 1_000,
        contexts: 20_000,
        streams: 10_000,
        changes: 60,
        fleets: [(1_000, 1), (10_000, 4)],
        fleetChanges: 20,
        simulatedClients: 1_000_000
    )

    /// To see that everything runs; the figures mean nothing.
    static let smoke = RemotePlan(
        measuring: .smoke,
        keys: 30,
        contexts: 40,
        streams: 10,
        changes: 3,
        fleets: [(6, 1), (6, 2)],
        fleetChanges: 2,
        simulatedClients: 2_000
    )
}
#endif
