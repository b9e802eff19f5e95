import CMeasurement

/// The figures of one benchmark.
struct Measurement {
    /// The benchmark's name.
    let name: String
    /// The floor's name.
    let floorName: String
    /// Nanoseconds of one operation of the subject.
    let subject: Figures
    /// Nanoseconds of one operation of the floor.
    let floor: Figures
    /// Subject divided by floor, of each round by itself: what slows both, such as another program, cancels out.
    let ratio: Figures
    /// Allocations of one operation of the subject on the measuring thread; `nil` where they cannot be counted.
    let allocations: Double?
    /// Bytes of those allocations.
    let bytes: Double?

    /// Measures a benchmark: subject and floor take turns.
    init(_ benchmark: Benchmark, plan: Plan) throws {
        let (subject, floor) = try benchmark.setUp()
        let subjectCalls = try Round.calls(of: subject, lasting: subject.roundLength ?? plan.roundLength)
        let floorCalls = try Round.calls(of: floor, lasting: floor.roundLength ?? plan.roundLength)
        var subjectRounds: [Round] = []
        var floorRounds: [Round] = []
        for _ in 0..<plan.rounds {
            subjectRounds.append(try Round(of: subject, calls: subjectCalls))
            floorRounds.append(try Round(of: floor, calls: floorCalls))
        }
        name = benchmark.name
        floorName = floor.name
        self.subject = Figures(subjectRounds.map(\.nanosecondsPerOperation))
        self.floor = Figures(floorRounds.map(\.nanosecondsPerOperation))
        ratio = Figures(
            zip(subjectRounds, floorRounds).map { $0.nanosecondsPerOperation / $1.nanosecondsPerOperation }
        )
        let isCounting = keyspan_counts_allocations()
        allocations = isCounting ? Figures(subjectRounds.map(\.allocationsPerOperation)).median : nil
        bytes = isCounting ? Figures(subjectRounds.map(\.bytesPerOperation)).median : nil
    }
}
