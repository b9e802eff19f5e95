import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes one value or table as JSON text, in a layout.
///
/// Nested collections are on a stack of the writer's own, so that deep values do not exhaust the thread's stack.
struct JSONWriter {
    var bytes: [UInt8] = []

    /// The number of bytes after which the writer may stop, leaving the text unfinished.
    var limit = Int.max

    private let layout: JSONLayout

    /// The open collections, outermost first.
    private var unfinished: [UnfinishedCollection] = []

    /// Makes a writer of texts in a layout.
    init(_ layout: JSONLayout = .standard) {
        self.layout = layout
    }

    /// Writes a value in the place of a part of a text.
    mutating func writeValue(_ value: PropertyListValue) {
        write(value)
        writeUnfinished()
    }

    /// Writes a value and the line feed at the end of the text.
    mutating func writeText(_ value: PropertyListValue) {
        writeValue(value)
        bytes.append(ASCII.lineFeed)
    }

    /// Writes a table and the line feed at the end of the text.
    mutating func writeText(_ table: PropertyListTable) {
        // Enough for most scalars, to avoid copying a growing text.
        bytes.reserveCapacity(2 + table.count * 48)
        begin(UnfinishedCollection(members: table))
        writeUnfinished()
        bytes.append(ASCII.lineFeed)
    }

    /// Writes the items of all open collections, the innermost first, until all are closed.
    private mutating func writeUnfinished() {
        while let innermost = unfinished.indices.last, bytes.count <= limit {
            switch unfinished[innermost].next() {
            case .element(let value)?:
                writeSeparator()
                write(value)
            case .member(let name, let value, let isLiteral)?:
                writeSeparator()
                writeString(name)
                bytes += layout.colon
                if isLiteral, case .dictionary(let entries) = value {
                    begin(UnfinishedCollection(members: entries))
                } else {
                    write(value)
                }
            case nil:
                let ended = unfinished.removeLast()
                if !ended.isEmpty, layout.lineEnd != nil { writeLineStart() }
                bytes.append(ended.closingBracket)
            }
        }
    }

    /// Writes a scalar, or opens a collection.
    private mutating func write(_ value: PropertyListValue) {
        switch value {
        case .boolean(let value): write(ascii: value ? "true" : "false")
        case .integer(let value): write(ascii: value.description)
        case .real(let value) where value.isFinite: write(ascii: value.description)
        case .real(let value): writeTag(TaggedForm.real, TaggedForm.name(of: value))
        case .string(let value): writeString(value)
        case .date(let value): writeDate(value.timeIntervalSinceReferenceDate)
        case .data(let value): writeTag(TaggedForm.data, value.base64EncodedString())
        case .array(let elements): begin(UnfinishedCollection(elements: elements))
        case .dictionary(let entries) where TaggedForm.mustEscape(entries):
            begin(UnfinishedCollection(escaped: entries))
        case .dictionary(let entries): begin(UnfinishedCollection(members: entries))
        }
    }

    private mutating func begin(_ collection: UnfinishedCollection) {
        bytes.append(collection.openingBracket)
        unfinished.append(collection)
    }

    private mutating func writeDate(_ interval: Double) {
        guard interval.isFinite else { return writeTag(TaggedForm.date, TaggedForm.name(of: interval)) }
        if let text = DateText.text(for: interval) { return writeTag(TaggedForm.date, text) }
        write(ascii: "{\"\(TaggedForm.date)\": \(interval)}")
    }

    /// Writes a tagged form on one line, whose parts need no escapes.
    private mutating func writeTag(_ name: String, _ text: String) {
        write(ascii: "{\"\(name)\": \"\(text)\"}")
    }

    private mutating func write(ascii text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes the comma and the line start before the item that was taken last.
    private mutating func writeSeparator() {
        let isFirst = unfinished.last?.isAtFirstItem ?? true
        if layout.lineEnd == nil {
            if !isFirst { bytes += layout.separatorOnOneLine }
        } else {
            if !isFirst { bytes.append(ASCII.comma) }
            writeLineStart()
        }
    }

    private mutating func writeLineStart() {
        bytes += layout.lineEnd ?? []
        bytes += layout.margin
        for _ in unfinished.indices { bytes += layout.indentation }
    }
}

extension JSONWriter {
    /// Writes a string in quotes.
    ///
    /// Escapes the characters that RFC 8259 section 7 requires, and U+007F, which is invisible.
    mutating func writeString(_ string: String) {
        bytes.append(ASCII.quote)
        var string = string
        string.withUTF8 { text in
            var plain = text[...]
            while let stop = plain.firstIndex(where: Self.needsEscape) {
                bytes.append(contentsOf: plain[..<stop])
                writeEscape(for: text[stop])
                plain = text[(stop + 1)...]
            }
            bytes.append(contentsOf: plain)
        }
        bytes.append(ASCII.quote)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash || byte == ASCII.delete
    }

    private mutating func writeEscape(for byte: UInt8) {
        bytes.append(ASCII.backslash)
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case ASCII.tab: bytes.append(UInt8(ascii: "t"))
        case ASCII.lineFeed: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case ASCII.carriageReturn: bytes.append(UInt8(ascii: "r"))
        case ASCII.quote, ASCII.backslash: bytes.append(byte)
        default: bytes.append(contentsOf: "u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
        }
    }
}
