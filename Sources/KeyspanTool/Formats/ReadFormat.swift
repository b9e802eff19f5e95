import ArgumentParser
import Keyspan

/// The formats of `read`.
enum ReadFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json, plist

    /// Writes a document to standard output.
    func write(_ document: Document) throws(ToolError) {
        switch self {
        case .text:
            let writer = OldStyleWriter(style: StandardStream.output.style)
            try StandardStream.output.writeLine(writer.text(of: document.value))
        case .json:
            try ExportFormat.json.write(document, to: .output)
        case .plist:
            try ExportFormat.xml.write(document, to: .output)
        }
    }
}
