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
        case (.json, .value(let value)): try Self.json(of: value)
        case (.xml, _): try Self.xml(of: document.value)
        case (.binary, _): try Self.propertyList(of: document.value, .binary)
        }
    }

    private static func json(of value: PropertyListValue) throws(ToolError) -> [UInt8] {
        do {
            return try JSONText.encode(value)
        } catch {
            throw .failure("JSON cannot hold this: \(error).")
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
