import Foundation
import Keyspan
import KeyspanTesting

/// Random values of strings, arrays and dictionaries: what old-style property lists keep.
struct RandomValue {
    var generator: SeededGenerator

    init(seed: UInt64) {
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
            return .dictionary(entries.reduce(into: [:]) { $0[$1.0] = $1.1 })
        default:
            return .string(string())
        }
    }

    private mutating func count() -> Int {
        [0, 1, 2, 3, 17].randomElement(using: &generator) ?? 0
    }

    private mutating func string() -> String {
        let characters: [Character] =
            Array("aZ09 _-.:/$\"'\\;,={}()<>&\n\té日😀e\u{301}\r") + ["\0", "\u{1}", "\u{7F}", "\u{FFFF}"]
        return String((0..<count()).compactMap { _ in characters.randomElement(using: &generator) })
    }
}
