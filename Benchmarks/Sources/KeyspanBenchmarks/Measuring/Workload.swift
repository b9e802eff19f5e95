/// Something to measure: a body that performs a known number of operations each time it is called.
struct Workload {
    /// Its operation, for the table.
    let name: String
    /// How many operations one call of the body performs.
    let operations: Int
    /// Which time counts.
    let stopwatch: Stopwatch
    /// The least time of one round, if that of the plan is too short for the effect to show.
    let roundLength: Duration?
    /// Called before each call of the body, and not measured.
    let prepare: (() throws -> Void)?
    /// The measured part.
    let body: () throws -> Void

    /// Makes a workload.
    init(
        _ name: String,
        operations: Int,
        stopwatch: Stopwatch = .wall,
        roundLength: Duration? = nil,
        prepare: (() throws -> Void)? = nil,
        body: @escaping () throws -> Void
    ) {
        self.name = name
        self.operations = operations
        self.stopwatch = stopwatch
        self.roundLength = roundLength
        self.prepare = prepare
        self.body = body
    }
}
