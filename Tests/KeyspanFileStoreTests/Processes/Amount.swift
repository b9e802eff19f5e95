/// How much of something a test does: little, or what a variable of the environment asks for.
struct Amount {
    private let variable: String
    private let usual: Int

    /// Kills of writers, in all modes together.
    static let kills = Amount(variable: "KEYSPAN_KILLS", usual: 21)
    /// Kills of processes that migrate.
    static let migrationKills = Amount(variable: "KEYSPAN_KILLS", usual: 12)
    /// Keys that each of the processes writes.
    static let keys = Amount(variable: "KEYSPAN_KEYS", usual: 100)
    /// Increments of each counter.
    static let increments = Amount(variable: "KEYSPAN_INCREMENTS", usual: 20)
    /// Writes of the long run.
    static let soakWrites = Amount(variable: "KEYSPAN_SOAK_WRITES", usual: 4_000)
    /// Openings of the long run.
    static let soakOpenings = Amount(variable: "KEYSPAN_SOAK_OPENINGS", usual: 20)
    /// Changes whose way to another process is timed.
    static let changes = Amount(variable: "KEYSPAN_CHANGES", usual: 20)
    /// Programs of one thread that observe what they write.
    static let listeners = Amount(variable: "KEYSPAN_LISTENERS", usual: 5)
    /// Processes that take turns.
    static let writers = Amount(variable: "KEYSPAN_WRITERS", usual: 4)
    /// Batches that all of them write together.
    static let batches = Amount(variable: "KEYSPAN_BATCHES", usual: 200)
    /// Where the random numbers begin.
    static let seed = Amount(variable: "KEYSPAN_SEED", usual: Int(UInt32.random(in: 1 ... .max)))

    /// The amount.
    var value: Int {
        getenv(variable).flatMap { Int(String(cString: $0)) } ?? usual
    }
}

extension Int {
    /// The part that one of several does of something; what does not come out even is for the first ones.
    func share<Participant: Equatable>(of participant: Participant, among all: [Participant]) -> Int {
        let index = all.firstIndex(of: participant) ?? all.endIndex
        return self / all.count + (index < self % all.count ? 1 : 0)
    }
}
