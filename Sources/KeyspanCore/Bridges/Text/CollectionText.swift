#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The collections that a text stands for where a source has nothing but text, such as a variable or an argument.
///
/// - A property list of the old style: `(80, 443)`, `{cpu = 2;}`, `<0fbd>`.
/// - JSON text of an array or an object, of up to 32 levels: `[80, 443]`, `{"cpu": 2}`.
/// - Parts between commas: `80, 443`. Space around a part does not belong to it, and a comma at the end adds none. Parts with commas or
///   such space are written in one of the other forms.
/// - Parts with a name: `cpu=2, memory=4`.
enum CollectionText {
    /// The collection of a text that begins like a property list or JSON text; `nil` for any other text, including one that only begins so.
    ///
    /// A text in quotation marks, which is a property list as well, is not a collection: a value is written without them.
    static func marked(_ text: String) -> PropertyListValue? {
        switch OldStyleReader.parseMarked(text) {
        case .string?: nil
        case let collection?: collection
        case nil: json(text)?.value
        }
    }

    /// The collections that a text may be whose parts are between commas, in the order in which they are tried.
    ///
    /// The text must not be a property list, for which ``marked(_:)`` is responsible. JSON text stands for none of these collections, even if
    /// it is damaged: it also has parts between commas, but not those that were meant.
    static func lists(in text: String) -> [PropertyListValue] {
        if isMeantAsJSON(text) || json(text) != nil { return [] }
        if case .string? = OldStyleReader.parseMarked(text) { return [] }
        let parts = list(text)
        return [.array(parts.map { .string(String($0)) })] + (named(parts).map { [.dictionary($0)] } ?? [])
    }

    /// The reason why a text that begins like JSON text or a property list is neither, with the place; `nil` for any other text.
    ///
    /// It may contain a character or a name of the text.
    static func flaw(of text: String) -> String? {
        guard let first = text.utf8.first(where: { $0 > 0x20 }) else { return nil }
        if first == UInt8(ascii: "[") || isMeantAsJSON(text) {
            return JSONFlaw.first(in: text).map { "\(damage) JSON text: \($0)" }
        }
        guard "{(<".utf8.contains(first) else { return nil }
        do throws(TextFormatError) {
            _ = try OldStyleReader.parse(text)
            return nil
        } catch {
            return "\(damage) property list of the old style: \(error)"
        }
    }

    /// The beginning of each ``flaw(of:)``.
    static let damage = "it is a damaged"

    /// Whether a text begins with a bracket and a quotation mark, or with a brace and one.
    private static func isMeantAsJSON(_ text: String) -> Bool {
        var bytes = text.utf8.lazy.filter { $0 > 0x20 }.makeIterator()
        guard let first = bytes.next(), first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return false }
        return bytes.next() == UInt8(ascii: "\"")
    }

    private static func list(_ text: String) -> [Substring.UnicodeScalarView.SubSequence] {
        var parts = text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts
    }

    /// The parts as entries; `nil` if one has no name, or the name of another one.
    private static func named(_ parts: [Substring.UnicodeScalarView.SubSequence]) -> PropertyListDictionary? {
        var entries: PropertyListDictionary = [:]
        for part in parts {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let name = String(trimmed(part[..<sign]))
            let value = String(trimmed(part[part.index(after: sign)...]))
            guard !name.isEmpty, entries.updateValue(.string(value), forKey: name) == nil else { return nil }
        }
        return entries
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView.SubSequence)
        -> Substring.UnicodeScalarView.SubSequence
    {
        guard let start = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return text[text.endIndex...] }
        return text[start...last]
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    /// The JSON text; its value is `nil` if it has a null, or names that `JSONDecoder` takes for one another.
    private static func json(_ text: String) -> JSONCollection? {
        guard let first = text.utf8.first(where: { $0 > 0x20 }),
            first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        else { return nil }
        let outline = JSONOutline(text)
        // A level takes kilobytes of the stack, and threads may have half a megabyte.
        guard outline.depth <= 32 else { return nil }
        let data = Data(text.utf8)
        let decoder = JSONDecoder()
        if let key = JSONOutline.userInfoKey { decoder.userInfo[key] = outline }
        guard let json = try? decoder.decode(JSONCollection.self, from: data) else { return nil }
        return JSONTexts.mayMerge(data) && JSONTexts(data).mergesNames ? JSONCollection() : json
    }
}

/// The depth and the large numbers of JSON text, which a decoder does not report.
private struct JSONOutline: Sendable {
    static let userInfoKey = CodingUserInfoKey(rawValue: "org.keyspan.outline")

    /// The number of arrays and objects that are inside one another.
    private(set) var depth = 0
    /// The numbers of at least 2⁵³ that are written with a fraction or an exponent, and never as an integer.
    private(set) var largeReals: Set<Double> = []

    init(_ text: String) {
        let json = Array(text.utf8)
        var largeIntegers: Set<Double> = []
        var (level, index) = (0, 0)
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""):
                index = JSONTexts.end(ofString: index, in: json)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                level += 1
                depth = max(depth, level)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                let numeral = json[index...].prefix { $0.isInNumeral }
                if let number = Double(String(decoding: numeral, as: UTF8.self)), abs(number) >= 0x1p53 {
                    let isReal = numeral.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
                    if isReal { largeReals.insert(number) } else { largeIntegers.insert(number) }
                }
                index = numeral.endIndex
                continue
            default: break
            }
            index += 1
        }
        largeReals.subtract(largeIntegers)
    }
}

extension UInt8 {
    /// Whether the byte is one of those that JSON writes numbers with.
    fileprivate var isInNumeral: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

/// The value of JSON text; a number is an integer where it can be.
///
/// A number with a fraction or an exponent that is an integer which no `Double` holds, such as 1.6540705272477252e19, is a real.
private struct JSONCollection: Decodable {
    /// The value; `nil` if it has a part without a form in a property list.
    let value: PropertyListValue?

    init() { value = nil }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = nil
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let boolean = try? container.decode(Bool.self) {
            value = .boolean(boolean)
        } else if let integer = Self.integer(in: container) {
            value = Self.real(insteadOf: integer, in: container, of: decoder) ?? .integer(integer)
        } else if let real = try? container.decode(Double.self) {
            value = .real(real)
        } else if let elements = try? container.decode([JSONCollection].self) {
            let parts = elements.compactMap(\.value)
            value = parts.count == elements.count ? .array(parts) : nil
        } else {
            var entries: PropertyListDictionary = [:]
            let members = try container.decode([String: JSONCollection].self)
            for (name, member) in members { entries[name] = member.value }
            value = entries.count == members.count ? .dictionary(entries) : nil
        }
    }

    private static func integer(in container: any SingleValueDecodingContainer) -> PropertyListInteger? {
        if let integer = try? container.decode(Int64.self) { return PropertyListInteger(integer) }
        return (try? container.decode(UInt64.self)).map { PropertyListInteger($0) }
    }

    /// The real number, if the text has one, and if no `Double` holds the integer that the decoder makes of it.
    private static func real(
        insteadOf integer: PropertyListInteger,
        in container: any SingleValueDecodingContainer,
        of decoder: any Decoder
    ) -> PropertyListValue? {
        guard integer.exactDouble == nil,
            let outline = JSONOutline.userInfoKey.flatMap({ decoder.userInfo[$0] }) as? JSONOutline,
            let real = try? container.decode(Double.self), outline.largeReals.contains(real)
        else { return nil }
        return .real(real)
    }
}
