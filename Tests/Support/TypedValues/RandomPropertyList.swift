import Foundation
@_spi(StoreAuthors) package import KeyspanCore
package import KeyspanTesting

extension PropertyListValue {
    /// Any value, with the numbers and dates among them that other forms lose.
    package static func random(levels: Int = 3, using generator: inout SeededGenerator) -> PropertyListValue {
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

    /// The value with some of its parts replaced or removed.
    package func damaged(using generator: inout SeededGenerator) -> PropertyListValue {
        if Int.random(in: 0..<6, using: &generator) == 0 {
            let parts: [PropertyListValue] = ["$null", true, 1, 0, -1, 1.5, "", "a", "1", [], [:], .data(Data([1]))]
            return Bool.random(using: &generator)
                ? parts.randomElement(using: &generator) ?? 1 : .random(levels: 1, using: &generator)
        }
        switch self {
        case .string(let text):
            var scalars = Array(text.unicodeScalars)
            let change = Int.random(in: 0..<3, using: &generator)
            let index = Int.random(in: 0...scalars.count, using: &generator)
            if change == 0 {
                scalars.insert(HostileTexts.formatCharacters.randomElement(using: &generator) ?? "0", at: index)
            } else if index < scalars.count {
                scalars.remove(at: index)
            }
            return .string(String(String.UnicodeScalarView(scalars)))
        case .array(let elements):
            let kept = elements.filter { _ in Int.random(in: 0..<6, using: &generator) > 0 }
            return .array(kept.map { $0.damaged(using: &generator) })
        case .dictionary(let entries):
            let kept = entries.sortedByName().filter { _ in Int.random(in: 0..<6, using: &generator) > 0 }
            return .dictionary(kept.reduce(into: [:]) { $0[$1.key] = $1.value.damaged(using: &generator) })
        case .boolean, .integer, .real, .date, .data: return self
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
