import Foundation
import KeyspanCore
import KeyspanTesting

/// Makes property-list values of all kinds at random, the awkward ones more often than chance would.
struct RandomValues {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func value(levels: Int) -> PropertyListValue {
        switch Int.random(in: 0..<(levels > 0 ? 12 : 7), using: &generator) {
        case 0: .boolean(.random(using: &generator))
        case 1: .integer(integer())
        case 2: .real(real())
        case 3, 4: .string(string())
        case 5: .date(Date(timeIntervalSinceReferenceDate: interval()))
        case 6:
            .data(
                Data(
                    (0..<Int.random(in: 0...9, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
                )
            )
        case 7, 8: .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in value(levels: levels - 1) })
        case 9: .dictionary(dictionary(levels: levels - 1))
        default: lookAlike(levels: levels - 1)
        }
    }

    mutating func dictionary(levels: Int) -> PropertyListDictionary {
        var entries: PropertyListDictionary = [:]
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            entries[string()] = value(levels: levels)
        }
        return entries
    }

    /// A dictionary that is, or nearly is, what a tagged form looks like.
    private mutating func lookAlike(levels: Int) -> PropertyListValue {
        let names = ["$data", "$date", "$real", "$dictionary", "$ref"]
        let texts = ["aGk=", "aGl=", "nan", "inf", "-inf", "2026-11-21T10:50:00.25Z", "2026-02-30T00:00:00Z", ""]
        let name = names.randomElement(using: &generator) ?? ""
        let content: PropertyListValue =
            if Bool.random(using: &generator), let text = texts.randomElement(using: &generator) {
                .string(text)
            } else {
                value(levels: max(0, levels))
            }
        var entries: PropertyListDictionary = [name: content]
        if Int.random(in: 0..<5, using: &generator) == 0 { entries["other"] = value(levels: 0) }
        return .dictionary(entries)
    }

    mutating func integer() -> PropertyListInteger {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: PropertyListInteger(Int64.random(in: -9...9, using: &generator))
        case 1: PropertyListInteger(Int64.random(in: .min ... .max, using: &generator))
        case 2: PropertyListInteger(UInt64.random(in: .min ... .max, using: &generator))
        default: PropertyListInteger([Int64.min, .max, 0, -1].randomElement(using: &generator) ?? 0)
        }
    }

    mutating func real() -> Double {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: Double(Int64.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
        case 1:
            [
                -0.0, 0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0x1p53, 1e22,
                1e23,
            ]
            .randomElement(using: &generator) ?? 0
        default: Double(bitPattern: generator.next())
        }
    }

    /// Seconds of a date: in the calendar's range as often as outside it.
    mutating func interval() -> Double {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: Double.random(in: -63_113_904_000...252_423_993_600, using: &generator)
        case 1: Double(Int64.random(in: -63_113_904_000_000...252_423_993_600_000, using: &generator)) / 1000
        case 2: Double.random(in: -2...2, using: &generator)
        default: real()
        }
    }

    mutating func string() -> String {
        let pieces: [String] = [
            "a", "theme", "$", "\"", "\\", "/", "\u{0}", "\u{1}", "\u{8}", "\t", "\n", "\u{C}", "\r", "\r\n", "\u{1F}",
            "\u{7F}", "é", "e\u{301}", "\u{212A}", "漢字", "😀", "👨‍👩‍👧", "\u{2028}", "\u{FEFF}", "\u{FFFF}", "\u{10FFFF}",
            "{\"$date\": 5}", "null", "0123456789abcdef",
        ]
        return (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            .joined()
    }
}
