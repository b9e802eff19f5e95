/// Something to measure: a body that performs a known number of operations each time it is called.
struct Workload {
    /// What it does, for the table.
    let name: String
    /// How many operations one call of the body performs.
    let operations: Int
    /// Which time counts.
    let stopwatch: Stopwatch
    /// The least time that it is measured in one round, if the plan's is too short for what is to be seen.
    let roundLength: Duration?
    /// Called before each call of the body, and not measured.
    let prepare: (() throws -> Void)?
    /// What is measured.
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
