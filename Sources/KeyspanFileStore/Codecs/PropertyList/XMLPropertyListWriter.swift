import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes XML property lists with sorted keys, in the layout of Apple's tools.
///
/// Control characters are written as Foundation writes them: ``XMLRestrictions`` rejects new ones, but the ones that a file already
/// has stay. Nested collections are on a stack of the writer's own, so that deep values do not exhaust the thread's stack.
struct XMLPropertyListWriter {
    private(set) var bytes = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """.utf8
    )

    /// The number of bytes after which the writer may stop, leaving the document unfinished.
    var limit = Int.max

    /// The open collections, outermost first.
    private var unfinished: [UnfinishedCollection] = []

    /// Writes a document of one value.
    mutating func writeDocument(_ value: PropertyListValue) throws(ValueEncodingError) {
        try write(value)
        try writeUnfinished()
        writeMarkup("</plist>\n")
    }

    /// Writes a document of a table.
    mutating func writeDocument(_ table: PropertyListTable) throws(ValueEncodingError) {
        // Enough for most scalars, to avoid copying a growing text.
        bytes.reserveCapacity(bytes.count + table.count * 64)
        begin(UnfinishedCollection(members: table))
        try writeUnfinished()
        writeMarkup("</plist>\n")
    }

    /// Writes the items of all open collections, the innermost first, until all are closed.
    private mutating func writeUnfinished() throws(ValueEncodingError) {
        while let innermost = unfinished.indices.last, bytes.count <= limit {
            switch unfinished[innermost].next() {
            case .element(let value)?:
                try write(value)
            case .member(let name, let value, _)?:
                writeIndent()
                writeMarkup("<key>")
                write(escaping: name)
                writeMarkup("</key>\n")
                try write(value)
            case nil:
                let isArray = unfinished.removeLast().isArray
                writeIndent()
                writeMarkup(isArray ? "</array>\n" : "</dict>\n")
            }
        }
    }

    /// Writes a scalar, or opens a collection.
    private mutating func write(_ value: PropertyListValue) throws(ValueEncodingError) {
        switch value {
        case .boolean(let value): writeLine(value ? "<true/>\n" : "<false/>\n")
        case .integer(let value): writeElement("integer", value.description)
        case .real(let value): writeElement("real", Self.text(of: value))
        case .string(let value):
            writeLine("<string>")
            write(escaping: value)
            writeMarkup("</string>\n")
        case .date(let value): writeElement("date", try XMLRestrictions.text(of: value))
        case .data(let value): writeElement("data", value.base64EncodedString())
        case .array(let elements): begin(UnfinishedCollection(elements: elements))
        case .dictionary(let entries): begin(UnfinishedCollection(members: entries))
        }
    }

    private mutating func begin(_ collection: UnfinishedCollection) {
        guard !collection.isEmpty else { return writeLine(collection.isArray ? "<array/>\n" : "<dict/>\n") }
        writeLine(collection.isArray ? "<array>\n" : "<dict>\n")
        unfinished.append(collection)
    }

    private static func text(of real: Double) -> String {
        // The spellings that Apple's parser reads.
        if real.isNaN { return "nan" }
        if real.isInfinite { return real < 0 ? "-infinity" : "+infinity" }
        return real.description
    }

    private mutating func writeElement(_ name: StaticString, _ text: String) {
        writeLine("<")
        writeMarkup(name)
        bytes.append(UInt8(ascii: ">"))
        bytes.append(contentsOf: text.utf8)
        writeMarkup("</")
        writeMarkup(name)
        writeMarkup(">\n")
    }

    private mutating func write(escaping text: String) {
        var text = text
        text.withUTF8 { text in
            var plain = text[...]
            while let stop = plain.firstIndex(where: Self.needsReference) {
                bytes.append(contentsOf: plain[..<stop])
                switch text[stop] {
                case UInt8(ascii: "&"): writeMarkup("&amp;")
                case UInt8(ascii: "<"): writeMarkup("&lt;")
                case UInt8(ascii: ">"): writeMarkup("&gt;")
                default: writeMarkup("&#13;")
                }
                plain = text[(stop + 1)...]
            }
            bytes.append(contentsOf: plain)
        }
    }

    private static func needsReference(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
            || byte == ASCII.carriageReturn
    }

    private mutating func writeLine(_ text: StaticString) {
        writeIndent()
        writeMarkup(text)
    }

    private mutating func writeIndent() {
        bytes.append(contentsOf: repeatElement(ASCII.tab, count: unfinished.count))
    }

    private mutating func writeMarkup(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}

/// The values that XML property lists cannot hold in a form that every XML reader accepts.
enum XMLRestrictions {
    /// Throws if a key or its value cannot be written.
    static func check(_ value: PropertyListValue, forKey key: String) throws(ValueEncodingError) {
        do throws(ValueEncodingError) {
            try check(key)
            try check(value)
        } catch {
            throw error.nested(under: .name(key))
        }
    }

    /// Throws if a value cannot be written.
    static func check(_ value: PropertyListValue) throws(ValueEncodingError) {
        switch value {
        case .boolean, .integer, .real, .data: return
        case .string(let text): try check(text)
        case .date(let date): _ = try text(of: date)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                do throws(ValueEncodingError) {
                    try check(element)
                } catch {
                    throw error.nested(under: .index(index))
                }
            }
        case .dictionary(let entries):
            for (key, entry) in entries { try check(entry, forKey: key) }
        }
    }

    /// The value that reads back after a value was written: with dates in whole seconds.
    ///
    /// - Returns: `nil` for a value that reads back unchanged.
    static func written(_ value: PropertyListValue) -> PropertyListValue? {
        switch value {
        case .boolean, .integer, .real, .data, .string: return nil
        case .date(let date):
            let second = second(of: date)
            return second.sign == date.timeIntervalSinceReferenceDate.sign
                && second == date.timeIntervalSinceReferenceDate
                ? nil : .date(Date(timeIntervalSinceReferenceDate: second))
        case .array(let elements):
            let changed = elements.map(written)
            guard changed.contains(where: { $0 != nil }) else { return nil }
            return .array(zip(elements, changed).map { $1 ?? $0 })
        case .dictionary(let entries):
            let changed = entries.compactMapValues(written)
            return changed.isEmpty ? nil : .dictionary(entries.merging(changed) { $1 })
        }
    }

    /// The text of a date in XML.
    ///
    /// - Throws: `ValueEncodingError` for a date without a text.
    static func text(of date: Date) throws(ValueEncodingError) -> String {
        guard let text = DateText.text(for: second(of: date)) else {
            throw ValueEncodingError(reason: "XML property lists hold dates of the years 0 to 9999 only")
        }
        return text
    }

    /// Whether XML 1.0 forbids a character, even as a reference.
    private static func forbids(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": true
        default: false
        }
    }

    private static func second(of date: Date) -> Double {
        // The sum makes a negative zero a positive one.
        date.timeIntervalSinceReferenceDate.rounded(.down) + 0
    }

    private static func check(_ text: String) throws(ValueEncodingError) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            var least = UInt8.max
            var most: UInt8 = 0
            for byte in bytes {
                least = min(least, byte)
                most = max(most, byte)
            }
            return least >= ASCII.space && most < 0xEF
        }
        guard !isPlain, let scalar = text.unicodeScalars.first(where: forbids) else { return }
        let code = String(scalar.value, radix: 16, uppercase: true)
        throw ValueEncodingError(reason: "XML has no place for the character U+\(code)")
    }
}
