import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct CRC32CTests {
    /// The published check value, and the examples of RFC 3720 appendix B.4, whose text shows the checksum with its lowest byte
    /// first.
    @Test(
        arguments: [
            (Array("123456789".utf8), 0xE306_9283), ([UInt8](repeating: 0x00, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0...31), 0x46DD_794E),
            (Array((0...31).reversed()), 0x113F_DB5C),
            (
                [0x01, 0xC0] + [UInt8](repeating: 0, count: 14) + [0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14]
                    + [0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0],
                0xD996_3A56
            ),
        ] as [([UInt8], UInt32)]
    )
    func `CRC-32C agrees with the examples of iSCSI`(bytes: [UInt8], checksum: UInt32) {
        #expect(CRC32C.checksum(of: bytes[...]) == checksum)
    }

    @Test func `CRC-32C of nothing is what it continues`() {
        #expect(CRC32C.checksum(of: []) == 0)
        #expect(CRC32C.checksum(of: [], continuing: 0x1234_5678) == 0x1234_5678)
    }

    @Test(.seeded) func `CRC-32C is the same however the bytes are divided`() {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let bytes = (0..<67).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let whole = CRC32C.checksum(of: bytes[...])
        for division in 0...bytes.count {
            let first = CRC32C.checksum(of: bytes[..<division])
            #expect(CRC32C.checksum(of: bytes[division...], continuing: first) == whole, "at \(division)")
        }
    }
}

@Suite struct ValueFingerprintTests {
    @Test func `a fingerprint of a value distinguishes values, also those that look alike`() {
        let values: [PropertyListValue] = [
            true, 1, 1.0, "1", -0.0, 0.0, 0, "", [], [:], [[]], [[:]], .data(.init()), ["$data": ""],
            ["$dictionary": ["$data": ""]], .date(.init(timeIntervalSinceReferenceDate: 0)), .real(.nan),
            .real(.infinity),
        ]
        #expect(Set(values.map(ValueFingerprint.init)).count == values.count)
    }

    @Test func `a fingerprint of a value is the same for equal values`() {
        #expect(ValueFingerprint(.real(.nan)) == ValueFingerprint(.real(-.signalingNaN)))
        #expect(ValueFingerprint(["a": 1, "b": 2, "c": 3]) == ValueFingerprint(["c": 3, "b": 2, "a": 1]))
    }

    @Test func `a fingerprint of a value is taken of a value that no store would take`() {
        var value: PropertyListValue = []
        for _ in 0..<2 * PropertyListValue.maximumNesting { value = [value] }
        #expect(ValueFingerprint(value) != ValueFingerprint([value]))
    }
}
