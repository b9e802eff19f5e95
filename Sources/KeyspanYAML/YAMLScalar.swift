#if YAML
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A scalar of a YAML text, and its value by the core schema of YAML 1.2.
///
/// Yams resolves scalars by YAML 1.1, where `no` is false and `1:30` is 90.
struct YAMLScalar {
    let text: String
    /// Whether it is neither in quotes nor a block.
    let isPlain: Bool
    let tag: String?

    /// The values that the schema tells apart.
    private enum Plain {
        case null
        case boolean(Bool)
        case integer(PropertyListInteger?)
        case real(numeral: String)
        case special(Double)
        case text
    }

    /// The value.
    func item(at place: LineAndColumn) throws(TextFileError) -> TextTree.Item {
        switch tag.map(Tag.init) {
        case nil:
            return isPlain ? try item(resolved, at: place) : .scalar(.string(text))
        case .text: return .scalar(.string(text))
        case .null, .boolean, .integer, .real: return try taggedItem(at: place)
        case .binary:
            let digits = text.utf8.filter { !" \n\t\r".utf8.contains($0) }
            guard let data = Data(base64Encoded: String(decoding: digits, as: UTF8.self)) else {
                throw TextFileError(at: place, expected: "Base64 after `!!binary`", found: "another text")
            }
            return .scalar(.data(data))
        case .timestamp:
            guard let interval = DateText.interval(from: text) else {
                throw TextFileError(
                    at: place,
                    expected: "a date and time of RFC 3339 after `!!timestamp`",
                    found: "another text",
                    remedy: "write it as 2026-11-21T10:50:00Z"
                )
            }
            return .scalar(.date(Date(timeIntervalSinceReferenceDate: interval)))
        case .other:
            throw .unsupportedTag(at: place)
        }
    }

    /// The scalar as the name of a member.
    func name(at place: LineAndColumn) throws(TextFileError) -> String {
        switch (tag.map(Tag.init), isPlain) {
        case (.text, _), (nil, false): return text
        case (nil, true): break
        default: throw .unsupportedTag(at: place)
        }
        if text == "<<" {
            throw TextFileError(
                at: place,
                expected: "the name of a member",
                found: "a merge key, which YAML 1.2 does not have",
                remedy: "write the members out, or put the name in quotes"
            )
        }
        let found: String
        switch resolved {
        case .text: return text
        case .null: found = "a null"
        case .boolean: found = "a boolean"
        case .integer, .real, .special: found = "a number"
        }
        throw TextFileError(
            at: place,
            expected: "a text as the name of a member",
            found: found,
            remedy: "put it in quotes"
        )
    }

    // MARK: - The core schema

    private enum Tag {
        case text
        case null
        case boolean
        case integer
        case real
        case binary
        case timestamp
        case other

        init(_ text: String) {
            switch text {
            case "!", "tag:yaml.org,2002:str": self = .text
            case "tag:yaml.org,2002:null": self = .null
            case "tag:yaml.org,2002:bool": self = .boolean
            case "tag:yaml.org,2002:int": self = .integer
            case "tag:yaml.org,2002:float": self = .real
            case "tag:yaml.org,2002:binary": self = .binary
            case "tag:yaml.org,2002:timestamp": self = .timestamp
            default: self = .other
            }
        }
    }

    /// The value of a scalar whose tag says which of the schema's types it has.
    private func taggedItem(at place: LineAndColumn) throws(TextFileError) -> TextTree.Item {
        let resolved = resolved
        switch (tag.map(Tag.init), resolved) {
        case (.null, .null), (.boolean, .boolean), (.integer, .integer), (.real, .real), (.real, .special):
            return try item(resolved, at: place)
        case (.real, .integer):
            return try item(.real(numeral: text), at: place)
        default:
            throw TextFileError(at: place, expected: "a value of the type that its tag names", found: "another one")
        }
    }

    private func item(_ plain: Plain, at place: LineAndColumn) throws(TextFileError) -> TextTree.Item {
        switch plain {
        case .null: return .null
        case .boolean(let boolean): return .scalar(.boolean(boolean), writtenAs: text)
        case .integer(let integer?): return .scalar(.integer(integer), writtenAs: text)
        case .integer(nil):
            throw TextFileError(
                at: place,
                expected: "an integer from -2^63 to 2^64-1",
                found: "an integer outside that range",
                remedy: "write it with a decimal point as a real if a Double keeps it, or in quotes as a text"
            )
        case .real(let numeral):
            do throws(JSONTextError) {
                guard case .real(let real) = try JSONText.parse(Array(Self.json(numeral).utf8)) else { return .null }
                return .scalar(.real(real), writtenAs: text)
            } catch {
                throw TextFileError(
                    at: place,
                    expected: error.expected,
                    found: error.found,
                    remedy: "round it to 15 digits, or write it in quotes as a text"
                )
            }
        case .special(let real): return .scalar(.real(real), writtenAs: text)
        case .text: return .scalar(.string(text))
        }
    }

    /// The kind and value of the text by section 10.3.2 of YAML 1.2.
    private var resolved: Plain {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        case ".nan", ".NaN", ".NAN": return .special(.nan)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .special(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .special(-.infinity)
        default: break
        }
        if text.hasPrefix("0o") || text.hasPrefix("0x") {
            let digits = text.utf8.dropFirst(2)
            let radix = text.hasPrefix("0o") ? 8 : 16
            guard !digits.isEmpty, digits.allSatisfy({ Self.isDigit($0, radix: radix) }) else { return .text }
            return .integer(UInt64(text.dropFirst(2), radix: radix).map { PropertyListInteger($0) })
        }
        guard let shape = Numeral(text) else { return .text }
        guard shape.isWhole else { return .real(numeral: text) }
        if let integer = Int64(text) { return .integer(PropertyListInteger(integer)) }
        return .integer(UInt64(text).map { PropertyListInteger($0) })
    }

    private static func isDigit(_ byte: UInt8, radix: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "7"): true
        case UInt8(ascii: "8"), UInt8(ascii: "9"): radix > 8
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): radix == 16
        default: false
        }
    }

    /// The same number as JSON writes it.
    private static func json(_ text: String) -> String {
        guard let numeral = Numeral(text) else { return text }
        let whole = numeral.whole.drop { $0 == UInt8(ascii: "0") }
        var json = numeral.isNegative ? "-" : ""
        json += whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)
        json += "." + (numeral.fraction.isEmpty ? "0" : String(decoding: numeral.fraction, as: UTF8.self))
        if !numeral.exponent.isEmpty { json += "e" + String(decoding: numeral.exponent, as: UTF8.self) }
        return json
    }

    /// The parts of `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
    private struct Numeral {
        let isNegative: Bool
        let whole: ArraySlice<UInt8>
        let fraction: ArraySlice<UInt8>
        /// With its sign; empty without one.
        let exponent: ArraySlice<UInt8>
        let isWhole: Bool

        init?(_ text: String) {
            var rest = Array(text.utf8)[...]
            isNegative = rest.first == UInt8(ascii: "-")
            if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            whole = Self.takeDigits(&rest)
            let hasPoint = rest.first == UInt8(ascii: ".")
            if hasPoint { rest.removeFirst() }
            fraction = hasPoint ? Self.takeDigits(&rest) : []
            guard !whole.isEmpty || !fraction.isEmpty else { return nil }
            isWhole = !hasPoint && rest.isEmpty
            let hasExponent = rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E")
            if hasExponent { rest.removeFirst() }
            let signed = rest
            if hasExponent, rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard hasExponent == !Self.takeDigits(&rest).isEmpty, rest.isEmpty else { return nil }
            exponent = hasExponent ? signed : []
        }

        private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest[digits.endIndex...]
            return digits
        }
    }
}

extension TextFileError {
    static func unsupportedTag(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected:
                "one of the tags `!!str`, `!!null`, `!!bool`, `!!int`, `!!float`, `!!binary`, `!!timestamp`, `!!seq` and `!!map`",
            found: "another one, or one that does not belong there",
            remedy: "remove the tag"
        )
    }
}
#endif
