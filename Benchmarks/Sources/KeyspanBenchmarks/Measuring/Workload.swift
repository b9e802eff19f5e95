/// Something to measure: a body that performs a known number of operations each time it is called.
struct Workload {
    /// The body of a workload, and how its figure is found.
    enum Body {
        /// The time and the allocations of a call.
        case measured(Stopwatch, () throws -> Void)
        /// The result of a call is the figure, because no stopwatch of this thread shows it.
        case reporting(Unit, () throws -> Double)
    }

    /// Its operation, for the table.
    let name: String
    /// How many operations one call of the body performs.
    let operations: Int
    /// The least time of one round, if that of the plan is too short for the effect to show.
    let roundLength: Duration?
    /// Called before each call of the body, and not measured.
    let prepare: (() throws -> Void)?
    /// The measured part.
    let body: Body

    /// The unit of the figures.
    var unit: Unit {
        switch body {
        case .measured: .nanoseconds
        case .reporting(let unit, _): unit
        }
    }

    /// Makes a workload of which the time counts.
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
        self.roundLength = roundLength
        self.prepare = prepare
        self.body = .measured(stopwatch, body)
    }

    /// Makes a workload that finds its figure itself, once a round.
    init(_ name: String, reporting unit: Unit, _ figure: @escaping () throws -> Double) {
        self.name = name
        operations = 1
        roundLength = .zero
        prepare = nil
        body = .reporting(unit, figure)
    }
}
