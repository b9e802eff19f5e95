import ArgumentParser
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of a document: one value, or all keys of a domain.
///
/// They differ at the top level. The dictionary of a domain is never one of the tagged forms of JSON, and does not count as a
/// level of nesting.
enum Document {
    /// A single value.
    case value(PropertyListValue)
    /// Keys and values.
    case domain(PropertyListTable)

    /// The value at the top.
    var value: PropertyListValue {
        switch self {
        case .value(let value): value
        case .domain(let table): .dictionary(table.dictionary)
        }
    }

    /// The document without hidden values, and with the list of these.
    var forPrograms: Document {
        switch self {
        case .value(let value): .value(value.forPrograms ?? value)
        case .domain(let table): .domain(table.forPrograms)
        }
    }

    /// The maximum nesting of collections in a document: that of one value, and the domain around it.
    ///
    /// A reader with this limit need not know which of the two it reads; the store rejects a value that uses all levels.
    static let maximumNesting = PropertyListValue.maximumNesting + 1
}

/// The formats of `export`; `import` recognizes each of them.
enum ExportFormat: String, OutputFormat {
    case json, xml, binary

    /// The default format for a file: JSON for `.json` and `.jsonc`, and XML for all others and for `-`, as in `defaults`.
    init(path: String) {
        switch DomainFormat(path: path.lowercased()) {
        case .json?, .jsonc?: self = .json
        case .plist?, nil: self = .xml
        }
    }

    /// The bytes of a document.
    ///
    /// Reports on standard error if the format cannot hold a date's fraction of a second, which is omitted.
    ///
    /// - Throws: ``ToolError`` if the format cannot hold the value.
    func bytes(of document: Document) throws(ToolError) -> [UInt8] {
        switch (self, document) {
        case (.json, .domain(let table)): JSONText.encode(table)
        case (.json, .value(let value)): JSONText.encodeUnchecked(value)
        case (.xml, _): try Self.xml(of: document.value)
        case (.binary, _): try Self.propertyList(of: document.value, .binary)
        }
    }

    /// Writes a document to a stream; control characters are escaped on a terminal.
    ///
    /// - Throws: ``ToolError`` if the format cannot hold the value, or if a terminal cannot show it.
    func write(_ document: Document, to stream: StandardStream) throws(ToolError) {
        let bytes = try bytes(of: document)
        try stream.write(stream.style.isTerminal ? try terminalBytes(bytes) : bytes)
    }

    /// An equivalent document that is safe to show on a terminal.
    ///
    /// - Throws: ``ToolError`` for the binary format.
    func terminalBytes(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .json: return Array(ControlCharacters.escaped(inJSON: text).utf8)
        case .xml: return Array(ControlCharacters.escaped(inXML: text).utf8)
        case .binary:
            throw .usage("A terminal cannot show a binary property list; name a file or another format.")
        }
    }

    private static func xml(of value: PropertyListValue) throws(ToolError) -> [UInt8] {
        let bytes = try propertyList(of: value, .xml)
        let fractions = value.datesWithFraction()
        if let first = fractions.first {
            let place = first.steps.isEmpty ? "" : " at \(first)"
            let others = fractions.count - 1
            KeyspanCommand.report(
                "The date\(place)\(others == 0 ? "" : " and \(others) more") lost the fraction of a second, which an "
                    + "XML property list cannot hold; use JSON or the binary format to keep it."
            )
        }
        return bytes
    }

    private static func propertyList(
        of value: PropertyListValue,
        _ format: PropertyListFormat
    ) throws(ToolError) -> [UInt8] {
        do {
            return try PropertyListData.encodeUnchecked(value, as: format)
        } catch {
            throw .failure(
                "An \(format) property list cannot hold this: \(error); use JSON or the binary format."
            )
        }
    }
}

extension PropertyListValue {
    /// The paths of dates that are not whole seconds, in the order of the document.
    func datesWithFraction(under path: [ValuePath.Step] = []) -> [ValuePath] {
        switch self {
        case .boolean, .integer, .real, .string, .data: []
        case .date(let date):
            date.timeIntervalSinceReferenceDate.rounded(.down) == date.timeIntervalSinceReferenceDate
                ? [] : [ValuePath(path)]
        case .array(let elements):
            elements.enumerated().flatMap { $1.datesWithFraction(under: path + [.index($0)]) }
        case .dictionary(let entries):
            entries.sortedByName().flatMap { $1.datesWithFraction(under: path + [.name($0)]) }
        }
    }
}
