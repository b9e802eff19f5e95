import ArgumentParser
import Keyspan
import KeyspanFileStore

/// The formats of `export`, each of which `import` recognises.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
    case json, xml, binary

    /// The format that a file's name asks for: JSON for `.json`, and XML for all others and for `-`, as in `defaults`.
    init(path: String) {
        self = path.lowercased().hasUTF8Suffix(".json") ? .json : .xml
    }

    /// The bytes of a document.
    ///
    /// Says on standard error if the format cannot hold the fraction of a second of a date and leaves it out.
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
    /// - Throws: ``ToolError`` if the format cannot hold the value, or is none for a terminal.
    func write(_ document: Document, to stream: StandardStream) throws(ToolError) {
        let bytes = try bytes(of: document)
        try stream.write(stream.style.isTerminal ? try terminalBytes(bytes) : bytes)
    }

    /// A document of this format as a terminal can show it; it has the same meaning.
    ///
    /// - Throws: ``ToolError`` for the binary format.
    func terminalBytes(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .json: return Array(ControlCharacters.escaped(inJSON: text).utf8)
        case .xml: return Array(ControlCharacters.escaped(inXML: text).utf8)
        case .binary:
            throw .usage("A binary property list is nothing that a terminal can show; name a file, or another format.")
        }
    }

    private static func xml(of value: PropertyListValue) throws(ToolError) -> [UInt8] {
        let bytes = try propertyList(of: value, .xml)
        let fractions = value.datesWithFraction()
        if let first = fractions.first {
            let place = first.steps.isEmpty ? "" : " at \(first)"
            let others = fractions.count - 1
            try KeyspanCommand.report(
                "The date\(place)\(others == 0 ? "" : " and \(others) more") lost the fraction of a second, which an "
                    + "XML property list cannot hold; use JSON or the binary format to keep it."
            )
        }
        return bytes
    }

    private static func propertyList(
        of value: PropertyListValue,
        _ format: PropertyListData.Format
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
