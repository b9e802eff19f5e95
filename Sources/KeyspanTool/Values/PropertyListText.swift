import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore

/// Property lists as text in any of the three formats that people write: old-style, JSON and XML.
enum PropertyListText {
    /// An error in a text that begins like one of the formats.
    struct Failure: Error {
        /// The format, with its article.
        let format: String
        /// The error and its place, as a clause without a full stop.
        let reason: String
    }

    /// Reads a text in the format that its beginning shows.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isDomain: Whether a dictionary at the top is a domain, which is never a tagged form of JSON.
    /// - Returns: `nil` if the text does not begin like any of them.
    static func parse(_ text: String, isDomain: Bool = false) throws(Failure) -> PropertyListValue? {
        // By scalars, because a space or quotation mark forms one `Character` with a following combining mark.
        let start = Substring(text.unicodeScalars.drop { $0.properties.isWhitespace })
        switch start.unicodeScalars.first {
        case "[": return try parseJSON(text, isDomain: false)
        case "{" where isJSONObject(start): return try parseJSON(text, isDomain: isDomain)
        case "<" where PropertyListData.isXML(start): return try parseXML(text)
        case "{", "(", "<", "\"", "'": return try parseOldStyle(text)
        default: return nil
        }
    }

    /// Whether a text that begins with `{` continues with a quoted name and a colon, unlike old-style property lists.
    private static func isJSONObject(_ text: Substring) -> Bool {
        var rest = String(text.unicodeScalars.dropFirst())
        return rest.withUTF8 { bytes in
            var cursor = TextCursor(bytes)
            cursor.skipSpace()
            guard cursor.current == UInt8(ascii: "\"") else { return false }
            // An unterminated name is an error in both formats; the JSON parser reports it.
            guard (try? OldStyleQuotedString.read(from: &cursor, quote: UInt8(ascii: "\""))) != nil else { return true }
            cursor.skipSpace()
            return cursor.current == UInt8(ascii: ":")
        }
    }

    private static func parseJSON(_ text: String, isDomain: Bool) throws(Failure) -> PropertyListValue {
        let bytes = Array(text.utf8)
        do {
            return isDomain ? .dictionary(try JSONText.parseTable(bytes).dictionary) : try JSONText.parse(bytes)
        } catch {
            throw Failure(format: "JSON", reason: clause("\(error)"))
        }
    }

    /// A sentence without its full stop, for use within another sentence.
    private static func clause(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    private static func parseXML(_ text: String) throws(Failure) -> PropertyListValue {
        do {
            return try PropertyListData.parse(Array(text.utf8), levels: Document.maximumNesting)
        } catch {
            throw Failure(format: "an XML property list", reason: clause("\(error)"))
        }
    }

    private static func parseOldStyle(_ text: String) throws(Failure) -> PropertyListValue {
        do {
            return try OldStyleReader.parse(text, levels: Document.maximumNesting)
        } catch {
            throw Failure(format: "an old-style property list", reason: "\(error)")
        }
    }
}

/// A document in any format that the tool reads, recognized by its beginning.
enum ImportedDocument {
    /// The keys and values of a document.
    ///
    /// - Parameters:
    ///   - bytes: The document: a binary, XML or old-style property list, or JSON.
    ///   - source: The name of its source, for errors.
    /// - Throws: ``ToolError`` if the document is damaged or not a dictionary.
    static func entries(of bytes: [UInt8], source: String) throws(ToolError) -> PropertyListDictionary {
        guard case .dictionary(let entries) = try value(of: bytes, source: source) else {
            throw .failure(
                "\(source) does not have a dictionary at the top level, as a domain does; give another document."
            )
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
        throw .failure("\(source) is not in a known format; give JSON or a property list.")
    }

    private static func unreadable(_ source: String, format: String, reason: String) -> ToolError {
        .failure("\(source) cannot be read as \(format): \(reason); correct it and import again.")
    }
}
