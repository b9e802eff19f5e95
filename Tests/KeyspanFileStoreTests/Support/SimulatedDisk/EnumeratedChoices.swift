import KeyspanTesting

/// Chooses every combination of outcomes, one after the other, beginning with the one in which nothing is lost.
///
/// The outcomes to choose from may depend on those that were chosen before.
struct EnumeratedChoices: CrashChoices {
    private var chosen: [(outcome: Int, count: Int)] = []
    private var next = 0
    private var generator = SeededGenerator(seed: 0)

    mutating func outcome(of count: Int) -> Int {
        if next == chosen.count { chosen.append((0, count)) }
        defer { next += 1 }
        return chosen[next].outcome
    }

    mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &generator)
    }

    /// Goes on to the next combination.
    ///
    /// - Returns: Whether there is one.
    mutating func advance() -> Bool {
        next = 0
        while let (outcome, count) = chosen.popLast() {
            guard outcome + 1 < count else { continue }
            chosen.append((outcome + 1, count))
            return true
        }
        return false
    }
}
