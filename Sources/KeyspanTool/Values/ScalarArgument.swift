import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The argument after an option such as `-int`, parsed as a value of that kind.
enum ScalarArgument {
    /// Reads an argument.
    ///
    /// - Throws: ``ToolError`` with status 64 if the argument is not a value of that kind. Nothing is coerced or truncated. The error does
    ///   not contain the text, which may be a secret.
    static func parse(_ text: String, as type: ValueType) throws(ToolError) -> PropertyListValue {
        guard let value = value(text, as: type) else {
            throw .usage("The text after \(type.options[0]) is not a value of that kind; \(remedy(for: type)).")
        }
        return value
    }

    /// The value in a text; `nil` if the text is not a value of that kind.
    static func value(_ text: String, as type: ValueType) -> PropertyListValue? {
        switch type {
        case .string: .string(text)
        case .data: data(text).map { .data($0) }
        case .integer: integer(text).map { .integer($0) }
        case .real: real(text).map { .real($0) }
        case .boolean: boolean(text).map { .boolean($0) }
        case .date: OldStyleDate.parse(text).map { .date($0) }
        case .array, .arrayAdd, .dictionary, .dictionaryAdd: nil
        }
    }

    /// The texts that are values of a kind, as an instruction without a full stop.
    static func remedy(for type: ValueType) -> String {
        switch type {
        case .data: "give an even number of hexadecimal digits, such as 0fbd77"
        case .integer: "give a whole number from \(Int64.min) to \(UInt64.max)"
        case .real: "give a number such as -0.5 or 1e9 that a Double holds exactly, or nan, inf or -inf"
        case .boolean: "give true, yes, 1, false, no or 0"
        case .date: "give UTC as in 2026-11-21T10:50:00Z, or \"2026-11-21 10:50:00 +0000\""
        case .string, .array, .arrayAdd, .dictionary, .dictionaryAdd: "write the value as a property list instead"
        }
    }

    private static func data(_ text: String) -> Data? {
        let digits = text.utf8.compactMap(\.hexadecimalDigit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    private static func integer(_ text: String) -> PropertyListInteger? {
        Int64(text).map { PropertyListInteger($0) } ?? UInt64(text).map { PropertyListInteger($0) }
    }

    private static func real(_ text: String) -> Double? {
        // Texts without digits can only be the names of infinity and NaN; Swift would also read hexadecimal numerals.
        if text.utf8.allSatisfy({ !$0.isDigit }) { return Double(text) }
        return try? RealNumeral.value(of: text)
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}
