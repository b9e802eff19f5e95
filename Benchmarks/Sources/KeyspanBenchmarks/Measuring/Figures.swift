/// The figures of several rounds: the one at a rank, by default the median, and how far they spread.
struct Figures {
    /// The figure at the rank that was asked for.
    let typical: Double
    let minimum: Double
    let maximum: Double

    /// Summarises at least one figure.
    ///
    /// - Parameters:
    ///   - figures: The figures in any order.
    ///   - rank: The part of the figures that are below the typical one.
    init(_ figures: [Double], rank: Double = 0.5) {
        let sorted = figures.sorted()
        // Between two figures if the rank is: the median of an even number is the middle of two.
        let position = Double(sorted.count - 1) * rank
        let (below, above) = (sorted[Int(position.rounded(.down))], sorted[Int(position.rounded(.up))])
        typical = below + (above - below) * (position - position.rounded(.down))
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }
}
