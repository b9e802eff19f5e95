import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite
struct JSONRoundTripTests {
    /// Other values on every run, and the same ones again with the seed that a failure names.
    static let seeds = (0..<400).map { _ in UInt64.random(in: .min ... .max) }

    @Test(arguments: seeds)
    func `a random value reads back as it was`(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        let value = random.value(levels: 4)
        let bytes = try JSONText.encode(value)
        #expect(try JSONText.parse(bytes) == value, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }

    @Test(arguments: seeds)
    func `a random table reads back as it was and writes the same bytes again`(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        let table = PropertyListTable(random.dictionary(levels: 3))
        let bytes = JSONText.encode(table)
        let again = try JSONText.parseTable(bytes)
        #expect(again == table, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        #expect(JSONText.encode(again) == bytes, "seed \(seed)")
    }

    @Test(arguments: seeds.prefix(20))
    func `a real keeps all its bits, whatever they are`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let real = Double(bitPattern: generator.next())
            guard real.isFinite else { continue }
            let bytes = try JSONText.encode(.real(real))
            let again = try #require(try JSONText.parse(bytes).realValue, "seed \(seed)")
            #expect(again.bitPattern == real.bitPattern, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test(arguments: seeds.prefix(20))
    func `decimal texts read as the nearest double, or are refused if that loses digits`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let digits = UInt64.random(
                in: 0...(UInt64.max >> UInt64.random(in: 0...60, using: &generator)),
                using: &generator
            )
            let text = "\(digits).\(generator.next() % 1000)e\(Int.random(in: -40...40, using: &generator))"
            let isKept = digits < 1_000_000_000_000 || (try? RealNumeral.value(of: text)) != nil
            if isKept {
                #expect(
                    try JSONText.parse(Array(text.utf8)) == .real(try #require(Double(text))),
                    "seed \(seed): \(text)"
                )
            } else {
                #expect(throws: JSONTextError.self) { try JSONText.parse(Array(text.utf8)) }
            }
        }
    }

    @Test(arguments: seeds.prefix(20))
    func `a date keeps all bits of its interval`(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        for _ in 0..<500 {
            let interval = random.interval()
            let bytes = try JSONText.encode(.date(Date(timeIntervalSinceReferenceDate: interval)))
            let again = try #require(
                try JSONText.parse(bytes).dateValue?.timeIntervalSinceReferenceDate,
                "seed \(seed)"
            )
            #expect(
                again.bitPattern == interval.bitPattern || again.isNaN && interval.isNaN,
                "seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
            )
        }
    }

    @Test(arguments: ["e\u{301}", "é", "\u{212A}", "\u{2126}", "\r\n", "\u{0}", "\u{7F}", "\u{FEFF}", "😀"])
    func `a string keeps its scalars`(string: String) throws {
        let again = try #require(try JSONText.parse(try JSONText.encode(.string(string))).stringValue)
        #expect(Array(again.unicodeScalars) == Array(string.unicodeScalars))
    }
}
