#if TOML
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore
internal import TOMLKit

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads TOML texts in the form that ``TOMLFileStore`` describes.
///
/// TOMLKit reads the values of what ``TOMLPlaces`` found to be well formed. It frees no name or scalar that it hands out, so each
/// version of a file that is read leaves about twice as many bytes behind.
struct TOMLText: TextFormat {
    var name: String { "TOML" }

    func parse(_ bytes: [UInt8]) throws(TextFileError) -> ParsedText {
        if let error = TextFileError(ifNotText: bytes) { throw error }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        let places = try TOMLPlaces.find(in: bytes)
        let table = try Self.table(of: bytes)
        // The values are in the table, which frees nothing by itself.
        defer { table.clear() }
        var tree = TextTree()
        try tree.open(isMapping: true, at: places.place)
        try Self.appendMembers(of: table, at: places, to: &tree)
        return TextTree.text(of: try tree.close())
    }

    private static func table(of bytes: [UInt8]) throws(TextFileError) -> TOMLTable {
        do {
            return try TOMLTable(string: String(decoding: bytes, as: UTF8.self))
        } catch let error as TOMLParseError {
            throw TextFileError(error)
        } catch {
            throw .malformed(at: LineAndColumn(line: 1, column: 1))
        }
    }

    /// Adds the members of a table to the innermost mapping.
    ///
    /// Each level of the text is one of the stack; their number was limited before.
    private static func appendMembers(
        of table: TOMLTable,
        at places: TOMLPlaces?,
        to tree: inout TextTree,
        within outer: LineAndColumn? = nil
    ) throws(TextFileError) {
        for name in table.keys {
            guard let value = table[name] else { continue }
            let member = places?.members[name]
            let place = member?.place ?? outer ?? LineAndColumn(line: 1, column: 1)
            try tree.begin(name, at: place)
            try append(value, at: member, to: &tree, within: place)
        }
    }

    private static func append(
        _ value: any TOMLValueConvertible,
        at places: TOMLPlaces?,
        to tree: inout TextTree,
        within place: LineAndColumn
    ) throws(TextFileError) {
        switch value.type {
        case .table:
            guard let table = value.table else { break }
            try tree.open(isMapping: true, at: place)
            try appendMembers(of: table, at: places, to: &tree, within: place)
            return try tree.append(try tree.close(), at: place)
        case .array:
            guard let array = value.array else { break }
            try tree.open(isMapping: false, at: place)
            for index in 0..<array.count { try append(array[index], at: nil, to: &tree, within: place) }
            return try tree.append(try tree.close(), at: place)
        default:
            guard let scalar = scalar(value) else { break }
            return try tree.append(.scalar(scalar), at: place)
        }
        throw .malformed(at: place)
    }

    private static func scalar(_ value: any TOMLValueConvertible) -> PropertyListValue? {
        switch value.type {
        case .string: value.string.map { .string($0) }
        case .int: value.int.map { .integer(PropertyListInteger($0)) }
        case .double: value.double.map { .real($0) }
        case .bool: value.bool.map { .boolean($0) }
        case .date: value.date.map { .string($0.text) }
        case .time: value.time.map { .string($0.text) }
        case .dateTime: value.dateTime.flatMap(dateOrText)
        case .table, .array: nil
        }
    }

    /// The point in time, or the text of a date and time without an offset, which is none.
    private static func dateOrText(_ value: TOMLDateTime) -> PropertyListValue? {
        let text = "\(value.date.text)T\(value.time.text)"
        guard let offset = value.offset?.offset else { return .string(text) }
        let sign = offset < 0 ? "-" : "+"
        let zone = "\(sign)\(padded(abs(offset) / 60, to: 2)):\(padded(abs(offset) % 60, to: 2))"
        return DateText.interval(from: text + zone).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    }

    fileprivate static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension TOMLDate {
    fileprivate var text: String {
        "\(TOMLText.padded(year, to: 4))-\(TOMLText.padded(month, to: 2))-\(TOMLText.padded(day, to: 2))"
    }
}

extension TOMLTime {
    fileprivate var text: String {
        let time = [hour, minute, second].map { TOMLText.padded($0, to: 2) }.joined(separator: ":")
        if nanoSecond == 0 { return time }
        var digits = TOMLText.padded(nanoSecond, to: 9)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(time).\(digits)"
    }
}

extension TextFileError {
    fileprivate static func malformed(at place: LineAndColumn) -> TextFileError {
        TextFileError(at: place, expected: "TOML", found: "something else")
    }

    /// An error of TOMLKit, without what it quotes, which may be a value.
    fileprivate init(_ error: TOMLParseError) {
        let place = LineAndColumn(line: error.source.begin.line, column: error.source.begin.column)
        var clause = ""
        for (number, part) in error.description.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if number > 0 { clause += "'" }
            // One character says what is wrong and reveals nothing.
            clause += number.isMultiple(of: 2) || part.count <= 1 ? String(part) : "…"
        }
        self.init(at: place, expected: "TOML", found: "an error (\(clause))")
    }
}
#endif
