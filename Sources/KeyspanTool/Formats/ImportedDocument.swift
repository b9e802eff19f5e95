import Keyspan
import KeyspanFileStore

/// A document of any format that the tool reads, recognised by what it begins with.
enum ImportedDocument {
    /// The keys and values of a document.
    ///
    /// - Parameters:
    ///   - bytes: The document: a binary, XML or old-style property list, or JSON.
    ///   - source: What it is called in errors.
    /// - Throws: ``ToolError`` if the document is damaged or not a dictionary.
    static func entries(of bytes: [UInt8], source: String) throws(ToolError) -> PropertyListDictionary {
        guard case .dictionary(let entries) = try value(of: bytes, source: source) else {
            throw .failure("\(source) does not hold a dictionary at its top; only that can be a domain.")
        }
        return entries
    }

    private static func value(of bytes: [UInt8], source: String) throws(ToolError) -> PropertyListValue {
        if PropertyListData.format(of: bytes) == .binary {
            do {
                return try PropertyListData.parse(bytes, levels: Document.maximumNesting)
            } catch {
                throw unreadable(source, format: "a binary property list", reason: "\(error.place): \(error.reason)")
            }
        }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard let text = String(validating: bytes.starts(with: mark) ? bytes[3...] : bytes[...], as: UTF8.self) else {
            throw .failure("\(source) is neither UTF-8 text nor a binary property list; convert it to one of them.")
        }
        do {
            if let value = try PropertyListText.parse(text, isDomain: true) { return value }
        } catch {
            throw unreadable(source, format: error.format, reason: error.reason)
        }
        throw .failure("\(source) is in no format that can be read; give JSON or a property list.")
    }

    private static func unreadable(_ source: String, format: String, reason: String) -> ToolError {
        .failure("\(source) cannot be read as \(format): \(reason); correct it, nothing was imported.")
    }
}
