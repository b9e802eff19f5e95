/// Something to measure: a body that performs a known number of operations each time it is called.
struct Workload {
    /// What it does, for the table.
    let name: String
    /// How many operations one call of the body performs.
    let operations: Int
    /// Which time counts.
    let stopwatch: Stopwatch
    /// Called before each call of the body, and not measured.
    let prepare: (() throws -> Void)?
    /// What is measured.
    let body: () throws -> Void

    /// Makes a workload.
    init(
        _ name: String,
        operations: Int,
        stopwatch: Stopwatch = .wall,
        prepare: (() throws -> Void)? = nil,
        body: @escaping () throws -> Void
    ) {
        self.name = name
        self.operations = operations
        self.stopwatch = stopwatch
        self.prepare = prepare
        self.body = body
    }
}
