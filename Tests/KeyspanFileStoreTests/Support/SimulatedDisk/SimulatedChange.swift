import KeyspanTesting

/// A change to one file or folder, which processes see at once and the disk keeps when that is flushed.
struct SimulatedChange {
    /// The changed object.
    enum Effect {
        case write([UInt8], offset: Int)
        case truncate(size: Int)
        case permissions(UInt32)
        case owner(UInt32?, group: UInt32?)
        case modified(Int64)
        /// Names of a folder in one step, each with the file that it leads to from now on, or with none.
        case names([String: SimulatedNode.ID?])
    }

    /// The changed object, whose flush makes the change durable.
    let node: SimulatedNode.ID
    let effect: Effect
    let time: Int64

    /// Whether `fdatasync(2)` makes it durable; attributes wait for `fsync(2)`.
    var isOfContents: Bool {
        switch effect {
        case .write, .truncate, .names: true
        case .permissions, .owner, .modified: false
        }
    }

    /// Whether it writes bytes.
    var isWrite: Bool { if case .write = effect { true } else { false } }

    /// Whether it changes bytes of a range.
    func reaches(_ range: Range<Int>) -> Bool {
        switch effect {
        case .write(let bytes, let offset): range.overlaps(offset..<offset + bytes.count)
        case .truncate(let size): size < range.upperBound
        case .permissions, .owner, .modified, .names: false
        }
    }

    /// The names that are changed; `nil` unless the change is one of names.
    var names: [String: SimulatedNode.ID?]? {
        if case .names(let names) = effect { names } else { nil }
    }
}

extension SimulatedChange {
    /// The fate of a write that was not flushed.
    private enum Outcome {
        case applied
        case dropped
        /// The first bytes were written.
        case torn
        /// The first sectors were written.
        case tornBetweenSectors
        /// Some sectors were written and some, perhaps before them, not.
        case scattered
        /// Space was found for the bytes, which were not written over what was there before.
        case garbled
        /// Space was found for the bytes and cleared.
        case zeroed
    }

    /// The unit that a drive writes whole.
    private static let sectorSize = 512

    /// The remains of the change when the power fails before it is flushed: all, nothing, or, of a write, a part or other bytes.
    func remains(_ choices: inout some CrashChoices) -> [SimulatedChange] {
        guard case .write(let bytes, let offset) = effect else { return choices.outcome(of: 2) == 0 ? [self] : [] }
        var outcomes: [Outcome] = [.applied, .dropped, .garbled, .zeroed]
        if bytes.count > 1 { outcomes.append(.torn) }
        let sectors = Self.sectors(of: offset..<offset + bytes.count)
        if sectors.count > 1 { outcomes += [.tornBetweenSectors, .scattered] }
        let written: [Range<Int>]
        switch outcomes[choices.outcome(of: outcomes.count)] {
        case .applied: return [self]
        case .dropped: return []
        case .garbled: return [writing(bytes.map { _ in UInt8(choices.number(below: 256)) }, at: offset)]
        case .zeroed: return [writing(bytes.map { _ in 0 }, at: offset)]
        case .torn: written = [offset..<offset + 1 + choices.number(below: bytes.count - 1)]
        case .tornBetweenSectors: written = Array(sectors.prefix(1 + choices.number(below: sectors.count - 1)))
        case .scattered: written = sectors.filter { _ in choices.number(below: 2) == 0 }
        }
        return written.map { writing(Array(bytes[$0.lowerBound - offset..<$0.upperBound - offset]), at: $0.lowerBound) }
    }

    private func writing(_ bytes: [UInt8], at offset: Int) -> SimulatedChange {
        SimulatedChange(node: node, effect: .write(bytes, offset: offset), time: time)
    }

    /// The parts of a range, cut where sectors begin.
    private static func sectors(of range: Range<Int>) -> [Range<Int>] {
        var sectors: [Range<Int>] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min((start / sectorSize + 1) * sectorSize, range.upperBound)
            sectors.append(start..<end)
            start = end
        }
        return sectors
    }
}

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
