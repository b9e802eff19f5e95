import Keyspan
import KeyspanFileStore

/// Property lists as text in any of the three formats that people write: old-style, JSON and XML.
enum PropertyListText {
    /// A text that begins like one of the formats and is not in it.
    struct Failure: Error {
        /// The format, with its article.
        let format: String
        /// What is wrong and where, as a clause without a full stop.
        let reason: String
    }

    /// Reads a text in the format that its beginning shows.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - isDomain: Whether a dictionary at the top is a domain, which is never a tagged form of JSON.
    /// - Returns: `nil` if the text begins like none of them.
    static func parse(_ text: String, isDomain: Bool = false) throws(Failure) -> PropertyListValue? {
        // By scalars: a space or a quotation mark and a combining character behind it are one `Character`.
        let start = Substring(text.unicodeScalars.drop { $0.properties.isWhitespace })
        switch start.unicodeScalars.first {
        case "[": return try parseJSON(text, isDomain: false)
        case "{" where isJSONObject(start): return try parseJSON(text, isDomain: isDomain)
        case "<" where PropertyListData.isXML(start): return try parseXML(text)
        case "{", "(", "<", "\"", "'": return try parseOldStyle(text)
        default: return nil
        }
    }

    /// Whether a text that begins with `{` goes on with a quoted name and a colon, as no old-style property list does.
    private static func isJSONObject(_ text: Substring) -> Bool {
        var rest = String(text.unicodeScalars.dropFirst())
        return rest.withUTF8 { bytes in
            var cursor = TextCursor(bytes)
            cursor.skipSpace()
            guard cursor.current == UInt8(ascii: "\"") else { return false }
            // A name without an end is an error in both formats, and the JSON reader reports it.
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

    /// A sentence without its full stop, to stand within another one.
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
