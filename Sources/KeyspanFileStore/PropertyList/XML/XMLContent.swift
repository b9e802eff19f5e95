import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the text of an element stands for; `nil` where it is no value of that kind.
enum XMLContent {
    /// The bytes without the whitespace at both ends.
    static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let first = bytes.firstIndex(where: { !$0.isSpace }) else {
            return UnsafeBufferPointer(rebasing: bytes[..<0])
        }
        let last = bytes.lastIndex { !$0.isSpace } ?? first
        return UnsafeBufferPointer(rebasing: bytes[first...last])
    }

    /// A whole number in decimal, or in hexadecimal after `0x`.
    static func integer(_ bytes: UnsafeBufferPointer<UInt8>) -> PropertyListInteger? {
        var digits = bytes[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        var radix: UInt64 = 10
        if digits.count > 2, digits.first == UInt8(ascii: "0"), digits.dropFirst().first.map({ $0 | 0x20 }) == 0x78 {
            (radix, digits) = (16, digits.dropFirst(2))
        }
        guard let magnitude = number(digits, radix: radix) else { return nil }
        guard isNegative else { return PropertyListInteger(magnitude) }
        return magnitude > Int64.min.magnitude ? nil : PropertyListInteger(Int64(truncatingIfNeeded: 0 &- magnitude))
    }

    /// A real, or one of the names that Apple's parser knows.
    static func real(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        let text = String(decoding: bytes, as: UTF8.self)
        if let value = Double(text), value.isFinite { return value }
        switch text.lowercased() {
        case "nan": return .nan
        case "inf", "infinity", "+inf", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: return nil
        }
    }

    /// A date in the form of RFC 3339, such as `2026-11-21T10:50:00Z`.
    static func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        let text = String(decoding: bytes, as: UTF8.self)
        return DateText.interval(from: text).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// Data in Base64, with space anywhere.
    static func data(_ bytes: UnsafeBufferPointer<UInt8>) -> Data? {
        Data(base64Encoded: Data(bytes.filter { !$0.isSpace }))
    }

    /// The character of a reference by name.
    static func scalar(named name: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default: nil
        }
    }

    /// The character of a reference by number: the text between `#` and `;`.
    static func scalar(ofNumber name: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        let isHexadecimal = name.first == UInt8(ascii: "x")
        let digits = isHexadecimal ? name.dropFirst() : name[...]
        return number(digits, radix: isHexadecimal ? 16 : 10).flatMap(UInt32.init(exactly:)).flatMap(
            Unicode.Scalar.init
        )
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, radix: UInt64) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = byte.hexadecimalDigit, digit < radix else { return nil }
            let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: radix)
            let (sum, overflows) = shifted.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return number
    }
}
