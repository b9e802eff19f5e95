import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values as the JSON text has them, which a schema describes: without kinds that JSON lacks.
enum PlainJSON {
    /// The object of a domain.
    static func object(of table: PropertyListTable) -> PropertyListValue {
        .dictionary(table.dictionary.mapValues(value))
    }

    /// The JSON of a value: dates, data and special numbers are objects with a tag, as `JSONText` documents.
    static func value(of value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .boolean, .integer, .string: value
        case .real(let real) where real.isFinite: value
        case .real(let real): ["$real": .string(name(of: real))]
        case .data(let data): ["$data": .string(data.base64EncodedString())]
        case .date(let date): ["$date": content(of: date.timeIntervalSinceReferenceDate)]
        case .array(let elements): .array(elements.map(Self.value))
        case .dictionary(let entries): dictionary(of: entries)
        }
    }

    private static func dictionary(of entries: PropertyListDictionary) -> PropertyListValue {
        let plain = PropertyListValue.dictionary(entries.mapValues(Self.value))
        return isEscaped(entries) ? ["$dictionary": plain] : plain
    }

    /// Whether the file escapes a dictionary, because it looks like a tagged value.
    private static func isEscaped(_ entries: PropertyListDictionary) -> Bool {
        guard entries.count == 1, let (name, content) = entries.first, name.hasUTF8Prefix("$") else { return false }
        if name.hasSameUTF8(as: "$dictionary") { return value(of: content).kind == .dictionary }
        // The writer decides, and shows it in the only name at the top.
        let text = JSONText.encodeUnchecked(.dictionary(entries)).drop { $0 != UInt8(ascii: "\"") }
        return text.starts(with: "\"$dictionary\"".utf8)
    }

    private static func content(of interval: Double) -> PropertyListValue {
        guard interval.isFinite else { return .string(name(of: interval)) }
        return DateText.text(for: interval).map { .string($0) } ?? .real(interval)
    }

    private static func name(of number: Double) -> String {
        number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
    }
}

/// A JSON number, compared by its value: 1 and 1.0 are equal.
enum JSONNumber: Comparable {
    case integer(Int128)
    case real(Double)

    /// The number of a value; `nil` for another kind.
    init?(_ value: PropertyListValue) {
        switch value {
        case .integer(let integer):
            guard let integer = integer.converted(to: Int128.self) else { return nil }
            self = .integer(integer)
        case .real(let real): self = Int128(exactly: real).map { .integer($0) } ?? .real(real)
        default: return nil
        }
    }

    static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)):
            Int128(exactly: right.rounded(.up)).map { left < $0 } ?? (right > 0)
        case (.real(let left), .integer(let right)):
            Int128(exactly: left.rounded(.down)).map { $0 < right } ?? (left < 0)
        }
    }
}

extension PropertyListValue {
    /// Whether two values are the same JSON, in which 1 equals 1.0.
    func isSameJSON(as other: PropertyListValue) -> Bool {
        switch (self, other) {
        case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real):
            JSONNumber(self) == JSONNumber(other)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSameJSON(as: $1) }
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count && left.allSatisfy { right[$0.key]?.isSameJSON(as: $0.value) == true }
        default: self == other
        }
    }
}
