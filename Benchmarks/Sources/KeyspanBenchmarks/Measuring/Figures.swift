/// The figures of several rounds: what lies in the middle, and how far they spread.
struct Figures {
    let median: Double
    let minimum: Double
    let maximum: Double

    /// Summarises at least one figure.
    init(_ figures: [Double]) {
        let sorted = figures.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }
}
