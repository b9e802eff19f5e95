/// Decides what a disk kept when the power went.
protocol CrashChoices {
    /// Chooses one of several outcomes; number 0 is that nothing was lost.
    mutating func outcome(of count: Int) -> Int

    /// Chooses a number of which any will do, such as the place where a write was torn.
    mutating func number(below limit: Int) -> Int
}

/// Chooses at random.
struct RandomChoices<Generator: RandomNumberGenerator>: CrashChoices {
    private var generator: Generator

    init(_ generator: Generator) {
        self.generator = generator
    }

    mutating func outcome(of count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &generator)
    }
}
