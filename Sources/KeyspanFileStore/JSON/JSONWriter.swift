import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes one value or table as JSON text.
///
/// What is nested is kept in a stack of its own, so that no nesting of the value costs stack of the thread.
struct JSONWriter {
    var bytes: [UInt8] = []

    /// How many bytes are enough: the text ends somewhere behind them, unfinished.
    var limit = Int.max

    /// The collections that have been begun and not ended, outermost first.
    private var unfinished: [UnfinishedCollection] = []

    /// Writes a value and the line feed at the end of the text.
    mutating func writeText(_ value: PropertyListValue) {
        write(value)
        writeUnfinished()
        bytes.append(ASCII.lineFeed)
    }

    /// Writes a table and the line feed at the end of the text.
    mutating func writeText(_ table: PropertyListTable) {
        // Enough for most scalars; saves copying a text that grows.
        bytes.reserveCapacity(2 + table.count * 48)
        begin(UnfinishedCollection(members: table))
        writeUnfinished()
        bytes.append(ASCII.lineFeed)
    }

    /// Writes the items of all begun collections, the innermost first, until all are ended.
    private mutating func writeUnfinished() {
        while let innermost = unfinished.indices.last, bytes.count <= limit {
            switch unfinished[innermost].next() {
            case .element(let value)?:
                writeSeparator()
                write(value)
            case .member(let name, let value, let isLiteral)?:
                writeSeparator()
                writeString(name)
                bytes.append(ASCII.colon)
                bytes.append(ASCII.space)
                if isLiteral, case .dictionary(let entries) = value {
                    begin(UnfinishedCollection(members: entries))
                } else {
                    write(value)
                }
            case nil:
                let ended = unfinished.removeLast()
                if !ended.isEmpty { writeLineStart() }
                bytes.append(ended.closingBracket)
            }
        }
    }

    /// Writes a scalar, or begins a collection.
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

    /// Writes a tagged form on one line; neither part needs an escape.
    private mutating func writeTag(_ name: String, _ text: String) {
        write(ascii: "{\"\(name)\": \"\(text)\"}")
    }

    private mutating func write(ascii text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes what comes before an item that was just taken from the innermost collection.
    private mutating func writeSeparator() {
        if let innermost = unfinished.last, !innermost.isAtFirstItem { bytes.append(ASCII.comma) }
        writeLineStart()
    }

    private mutating func writeLineStart() {
        bytes.append(ASCII.lineFeed)
        bytes.append(contentsOf: repeatElement(ASCII.space, count: 2 * unfinished.count))
    }
}
