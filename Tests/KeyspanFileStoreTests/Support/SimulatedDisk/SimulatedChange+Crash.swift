extension SimulatedChange {
    /// What becomes of a write that was not flushed.
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
