/// The figures of one row of the table.
struct Measurement {
    /// The benchmark's name.
    let name: String
    /// The floor's name.
    let floorName: String
    /// The unit of the figures.
    let unit: Unit
    /// Of one operation of the subject.
    let subject: Figures
    /// Of one operation of the floor.
    let floor: Figures
    /// Subject divided by floor.
    ///
    /// Of each round by itself, because what slows both, such as another program, cancels out. A percentile is divided by
    /// a percentile, since the rounds of the slowest of either are not the same ones.
    let ratio: Double
    /// Allocations of one operation of the subject on the measuring thread; `nil` where they cannot be counted.
    let allocations: Double?
    /// Bytes of those allocations.
    let bytes: Double?

    /// Measures a benchmark, of which subject and floor take turns, for one row or two.
    static func measure(_ benchmark: Benchmark, plan: Plan) throws -> [Measurement] {
        let (subject, floor) = try benchmark.setUp()
        let subjectCalls = try Round.calls(of: subject, lasting: subject.roundLength ?? plan.roundLength)
        let floorCalls = try Round.calls(of: floor, lasting: floor.roundLength ?? plan.roundLength)
        var rounds: [(subject: Round, floor: Round)] = []
        for _ in 0..<(benchmark.rounds ?? plan.rounds) {
            rounds.append((try Round(of: subject, calls: subjectCalls), try Round(of: floor, calls: floorCalls)))
        }
        let (subjects, floors) = (rounds.map(\.subject.figure), rounds.map(\.floor.figure))
        let allocations = rounds.compactMap(\.subject.allocations)
        func row(_ name: String, _ rank: Double, ratio: Double?) -> Measurement {
            let (ofSubject, ofFloor) = (Figures(subjects, rank: rank), Figures(floors, rank: rank))
            return Measurement(
                name: name,
                floorName: floor.name,
                unit: subject.unit,
                subject: ofSubject,
                floor: ofFloor,
                ratio: ratio ?? ofSubject.typical / ofFloor.typical,
                allocations: allocations.isEmpty ? nil : Figures(allocations.map(\.calls)).typical,
                bytes: allocations.isEmpty ? nil : Figures(allocations.map(\.bytes)).typical
            )
        }
        var rows = [row(benchmark.name, 0.5, ratio: Figures(zip(subjects, floors).map { $0 / $1 }).typical)]
        if benchmark.showsTail { rows.append(row("\(benchmark.name), 99th percentile", 0.99, ratio: nil)) }
        return rows
    }
}
