import Foundation
import KeyspanCore
import KeyspanTesting

extension PropertyListValue {
    /// Any value, with the numbers and dates among them that other forms lose.
    static func random(levels: Int = 3, using generator: inout SeededGenerator) -> PropertyListValue {
        switch Int.random(in: 0..<(levels > 0 ? 8 : 6), using: &generator) {
        case 0: return .boolean(Bool.random(using: &generator))
        case 1: return .integer(randomInteger(using: &generator))
        case 2:
            let special = [0, -0.0, 1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
            return .real(special.randomElement(using: &generator) ?? 0)
        case 3: return .string(["", "a", "1", "true", "ü\n<&>"].randomElement(using: &generator) ?? "")
        case 4: return .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e10, using: &generator)))
        case 5: return .data(Data((0..<Int.random(in: 0..<4, using: &generator)).map { UInt8($0) }))
        case 6: return .array((0..<3).map { _ in random(levels: levels - 1, using: &generator) })
        default:
            let names = ["a", "b.c", ""].prefix(Int.random(in: 0...3, using: &generator))
            return .dictionary(names.reduce(into: [:]) { $0[$1] = random(levels: levels - 1, using: &generator) })
        }
    }

    private static func randomInteger(using generator: inout SeededGenerator) -> PropertyListInteger {
        let special = [
            PropertyListInteger(0), PropertyListInteger(1), PropertyListInteger(Int64.min),
            PropertyListInteger(Int64.max),
            PropertyListInteger(UInt64.max), PropertyListInteger(UInt64(Int64.max) + 1),
        ]
        return special.randomElement(using: &generator) ?? PropertyListInteger(0)
    }
}
