import ArgumentParser
import Keyspan

/// The formats of a command's output, which have the same names for all commands.
protocol OutputFormat: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {}

extension OutputFormat {
    /// Reads the name of a format; `plist` is another one of `xml`.
    init?(argument: String) {
        self.init(rawValue: argument == "plist" ? "xml" : argument)
    }
}

extension NameSpecification {
    /// The names of the option for the format of all commands.
    static let format: NameSpecification = [.customLong("output"), .customLong("format")]
}

/// The formats of commands that print lines or single facts.
enum LineFormat: String, OutputFormat {
    case text, json
}

/// The formats of commands that print values.
enum ReadFormat: String, OutputFormat {
    case text, table, json, xml, binary

    /// Writes a document to standard output.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - key: The key of a single value, which a table shows.
    ///   - isMasked: Whether a mask has hidden values in it, which a document for programs does not have.
    func write(_ document: Document, ofKey key: String = "", isMasked: Bool) throws(ToolError) {
        let forPrograms = isMasked ? document.forPrograms : document
        switch self {
        case .text:
            let writer = OldStyleWriter(style: StandardStream.output.style)
            try StandardStream.output.writeLine(writer.text(of: document.value))
        case .table:
            switch document {
            case .value(let value): try TextTable([key: value]).write()
            case .domain(let table): try TextTable(table.dictionary).write()
            }
        case .json: try ExportFormat.json.write(forPrograms, to: .output)
        case .xml: try ExportFormat.xml.write(forPrograms, to: .output)
        case .binary: try ExportFormat.binary.write(forPrograms, to: .output)
        }
    }
}
