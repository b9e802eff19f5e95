/// A subject and the floor that it is compared with, both made when their turn comes.
struct Benchmark {
    /// The operation of the subject, for the table and the filter.
    let name: String
    /// How often subject and floor take turns, if not as often as the plan says.
    let rounds: Int?
    /// Whether the table also has the 99th percentile of the rounds.
    let showsTail: Bool
    /// Makes the subject and its floor; called once.
    ///
    /// Both are released before the next benchmark begins.
    let setUp: () throws -> (subject: Workload, floor: Workload)

    /// Makes a benchmark whose subject has its name.
    ///
    /// - Parameters:
    ///   - name: The operation of the subject.
    ///   - rounds: How often subject and floor take turns; as often as the plan says by default.
    ///   - showsTail: Whether the table also has the 99th percentile of the rounds.
    ///   - setUp: Makes the two workloads. Throws ``MissingPeer`` if something is not installed.
    init(
        _ name: String,
        rounds: Int? = nil,
        showsTail: Bool = false,
        setUp: @escaping () throws -> (subject: Workload, floor: Workload)
    ) {
        self.name = name
        self.rounds = rounds
        self.showsTail = showsTail
        self.setUp = setUp
    }
}
