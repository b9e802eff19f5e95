import KeyspanCore
import KeyspanFileStore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite
struct ValueFingerprintTests {
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
