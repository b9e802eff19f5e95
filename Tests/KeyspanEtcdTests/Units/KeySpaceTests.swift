import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

@Suite(.seeded) struct KeySpaceTests {
    static let prefixes = ["", "app/", "a", "\u{7f}", "é", "\u{10ffff}", ".keyspan/", "app/.keyspan/"]

    @Test(arguments: prefixes)
    func `names come back from their keys`(prefix: String) {
        let space = KeySpace(prefix: prefix)
        for name in ["a", "é", "e\u{301}", ".keyspan", ".keyspanx", "a/b", " "] {
            guard case .entry(let found) = space.name(of: space.key(of: name)) else {
                Issue.record("\(name) is no entry")
                continue
            }
            #expect(Array(found.utf8) == Array(name.utf8))
        }
    }

    @Test(arguments: prefixes)
    func `keys that no name has are foreign or markers`(prefix: String) {
        let space = KeySpace(prefix: prefix)
        for rest in [[], [0], [0x61, 0], [0xff], [0xc3], [0x61, 0xe2, 0x82]] as [[UInt8]] {
            guard case .foreign = space.name(of: space.prefix + rest) else {
                Issue.record("\(rest) is not foreign")
                continue
            }
        }
        for rest in [".keyspan/", ".keyspan/writers/1", ".keyspan/\u{0}"] {
            guard case .marker = space.name(of: space.prefix + Array(rest.utf8)) else {
                Issue.record("\(rest) is no marker")
                continue
            }
        }
    }

    @Test(arguments: prefixes)
    func `the range of all keys has those with the prefix and no others`(prefix: String) {
        let space = KeySpace(prefix: prefix)
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<2000 {
            var key = Bool.random(using: &random) ? space.prefix : space.prefix.dropLast()
            key = Data(key)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                key.append([0, 1, 0x2e, 0x2f, 0x30, 0x61, 0xfe, 0xff].randomElement(using: &random) ?? 0)
            }
            if key.isEmpty { continue }
            #expect(key.isIn(space.start, space.end) == key.starts(with: space.prefix), "\(Array(key))")
        }
    }

    @Test func `a range without an end is one of all later keys`() {
        #expect(KeySpace(prefix: "").start == Data([0]))
        #expect(KeySpace(prefix: "").end == Data([0]))
        #expect(KeySpace(prefix: "app/").end == Data("app0".utf8))
    }

    @Test(arguments: prefixes)
    func `ranges leave out exactly the kept keys and the markers`(prefix: String) {
        let seed = SeededGenerator.seedOfRun
        var random = SeededGenerator(seed: seed)
        let space = KeySpace(prefix: prefix)
        let alphabet: [UInt8] = [0, 1, 0x2d, 0x2e, 0x2f, 0x30, 0x61, 0x62, 0xff]
        let markers = space.key(of: KeySpace.reserved)
        for _ in 0..<200 {
            func key(_ random: inout SeededGenerator) -> Data {
                var key = Int.random(in: 0..<5, using: &random) == 0 ? markers.dropLast() : space.prefix
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    key.append(alphabet.randomElement(using: &random) ?? 0)
                }
                return Data(key)
            }
            let kept = Set((0..<Int.random(in: 0...6, using: &random)).map { _ in key(&random) })
                .filter { !$0.isEmpty && !$0.starts(with: markers) }
            let ranges = space.ranges(without: Array(kept))
            for range in ranges { #expect(!range.end.isEmpty, "seed \(seed)") }
            var probes = (0..<100).map { _ in key(&random) }
            for key in kept { probes += [key, key + [0], Data(key.dropLast()), key + [0xff]] }
            probes += [markers, markers + [0], markers + [0xff], Data(markers.dropLast()), space.prefix]
            for probe in probes where !probe.isEmpty && probe.starts(with: space.prefix) {
                let isRemoved = ranges.contains { probe.isIn($0.start, $0.end) }
                let isKept = kept.contains(probe) || probe.starts(with: markers)
                #expect(isRemoved != isKept, "\(Array(probe)) of \(kept.map { Array($0) }), seed \(seed)")
            }
            // A transaction may not put a key into a range that it removes, nor remove twice in vain.
            for (range, next) in zip(ranges, ranges.dropFirst()) {
                #expect(!next.start.lexicographicallyPrecedes(range.end), "seed \(seed)")
            }
        }
    }
}
