import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON form of values that JSON itself lacks: an object with one member whose name begins with `$`.
///
/// The documentation of ``JSONText`` lists the forms.
enum TaggedForm {
    static let data = "$data"
    static let date = "$date"
    static let real = "$real"
    static let dictionary = "$dictionary"

    /// The value of an object with this member alone, or `nil` if the object is a dictionary.
    ///
    /// Reading and writing share this decision. The escape of a dictionary is decided elsewhere, because the content alone does not
    /// show how it was written.
    static func value(named name: String, content: PropertyListValue) -> PropertyListValue? {
        // Nearly all dictionaries with one entry end here.
        guard name.utf8.first == UInt8(ascii: "$") else { return nil }
        return switch (name, content) {
        case (data, .string(let text)): bytes(fromBase64: text).map { .data($0) }
        case (real, .string(let text)): number(named: text).map { .real($0) }
        case (date, .string(let text)): (number(named: text) ?? DateText.interval(from: text)).map(date(at:))
        case (date, .real(let interval)) where interval.isFinite: date(at: interval)
        case (date, .integer(let integer)): integer.exactDouble.map(date(at:))
        default: nil
        }
    }

    /// Whether the plain form of a dictionary would read as another value.
    static func mustEscape(_ entries: PropertyListDictionary) -> Bool {
        guard entries.count == 1, let (name, content) = entries.first else { return false }
        return name == dictionary ? isWrittenAsObject(content) : value(named: name, content: content) != nil
    }

    /// The text for a number that is not finite.
    static func name(of number: Double) -> String {
        number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
    }

    private static func number(named text: String) -> Double? {
        switch text {
        case "nan": .nan
        case "inf": .infinity
        case "-inf": -.infinity
        default: nil
        }
    }

    private static func isWrittenAsObject(_ value: PropertyListValue) -> Bool {
        switch value {
        case .dictionary, .data, .date: true
        case .real(let number): !number.isFinite
        case .boolean, .integer, .string, .array: false
        }
    }

    private static func date(at interval: Double) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: interval))
    }

    /// The bytes of a text, if the writer would write exactly this text for them.
    private static func bytes(fromBase64 text: String) -> Data? {
        // The comparison also rejects set bits after the end of the data, which the decoder drops.
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text else { return nil }
        return bytes
    }
}
