import Foundation
import Keyspan

/// Random values of the kinds and characters that a format can hold.
struct RandomValue {
    /// What the values are made of.
    enum Repertoire {
        /// Strings of any character, arrays and dictionaries: what old-style property lists keep.
        case strings
        /// All kinds, but no control characters and no fractions of seconds: what XML keeps.
        case xml
        /// Everything.
        case all
    }

    let repertoire: Repertoire
    var generator: SeededGenerator

    init(_ repertoire: Repertoire, seed: UInt64) {
        self.repertoire = repertoire
        generator = SeededGenerator(seed: seed)
    }

    /// The next value.
    mutating func value(levels: Int = 4) -> PropertyListValue {
        let choice = Int.random(in: 0..<10, using: &generator)
        switch choice {
        case 0...1 where levels > 0:
            return .array((0..<count()).map { _ in value(levels: levels - 1) })
        case 2...3 where levels > 0:
            let entries = (0..<count()).map { _ in (string(), value(levels: levels - 1)) }
            return .dictionary(Dictionary(entries) { first, _ in first })
        default:
            return repertoire == .strings ? .string(string()) : scalar()
        }
    }

    private mutating func count() -> Int {
        // Sometimes above 15, where binary property lists count differently.
        [0, 1, 2, 3, 17].randomElement(using: &generator) ?? 0
    }

    private mutating func scalar() -> PropertyListValue {
        let bits = UInt64.random(in: .min ... .max, using: &generator) >> UInt64.random(in: 0..<64, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: return .boolean(Bool.random(using: &generator))
        case 1: return .integer(PropertyListInteger(bits))
        case 2: return .integer(PropertyListInteger(Int64(bitPattern: ~bits)))
        case 3:
            return .real(
                [Double(bitPattern: bits), 0, -0.0, 1, .infinity, .nan, 0.1].randomElement(using: &generator) ?? 0
            )
        case 4: return .date(date(bits))
        case 5: return .data(Data((0..<count()).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }))
        default: return .string(string())
        }
    }

    private mutating func date(_ bits: UInt64) -> Date {
        let seconds = Double.random(in: -60_000_000_000...60_000_000_000, using: &generator)
        return Date(timeIntervalSinceReferenceDate: repertoire == .xml ? seconds.rounded() : seconds)
    }

    private mutating func string() -> String {
        var characters: [Character] = Array("aZ09 _-.:/$\"'\\;,={}()<>&\n\té日😀e\u{301}\r")
        if repertoire != .xml { characters += ["\0", "\u{1}", "\u{7F}", "\u{FFFF}"] }
        return String((0..<count()).compactMap { _ in characters.randomElement(using: &generator) })
    }
}
