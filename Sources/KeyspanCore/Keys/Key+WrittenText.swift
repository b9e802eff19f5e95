#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The forms in which people write the values of a key where a source has nothing but text, such as a variable or an argument.

extension Defaults.TypedKey {
    /// The text that a person writes for a value; `nil` if the key reads no text as that value, or if that stands for another value in a
    /// source.
    ///
    /// A text that is not one word, or that a source could take for a collection, is in quotation marks, as in JSON. A collection is
    /// JSON text.
    final func writtenText(of value: Value) -> String? {
        guard let form = try? self.form(of: value), !form.looksTagged else { return nil }
        func isRead(_ stored: PropertyListValue) -> Bool {
            self.value(ofTyped: stored).flatMap { try? self.form(of: $0) } == form
        }
        let texts = [
            (value as? any LosslessStringConvertible)?.description, CaseNames.text(of: value),
            (try? coding.readable?.encode(value))?.writtenText,
            form.dataValue.map { String(decoding: $0, as: UTF8.self) },
            form.writtenText,
        ]
        guard let text = texts.lazy.compactMap(\.self).first(where: { isRead(.string($0)) }) else { return nil }
        let collection = CollectionText.marked(text)
        if let collection, isRead(collection) { return text.escapedSpaces }
        // Variables and arguments end at a NUL character.
        if text.utf8.contains(0) { return nil }
        return text.isOneWord && collection == nil
            ? text : JSONForm.text(of: text, escapingSlashes: false).escapedSpaces
    }

    /// The entries of a value where the store has none yet; those of a file that people write.
    final func entries(of value: Value) throws(ValueEncodingError) -> PropertyListTable {
        var edit = PropertyListEdit([:])
        if let readable = coding.readable, readable.isUsed(nil) {
            edit[name] = try readable.encode(value)
        } else {
            try coding.encode(value, under: name, into: &edit)
        }
        return entryNames.reduce(into: [:]) { entries, entry in entries[entry] = edit[entry] }
    }

    /// The stored form of a value, in one entry; `nil` for a value that is stored as no entry.
    final func form(of value: Value) throws(ValueEncodingError) -> PropertyListValue? {
        coding.stored(under: name, in: try entries(of: value))?.value
    }

    /// The value that the key reads from typed text, or from the collection that it stands for, whatever the rules say; `nil` if it reads
    /// none.
    final func value(ofTyped stored: PropertyListValue) -> Value? {
        var context = Defaults.DecodingContext(isStrict: true, readsText: true)
        return try? decode(stored, in: &context)
    }

    /// Whether the key can read a text, and its rules allow the value.
    final func isValue(_ text: String) -> Bool {
        var context = Defaults.DecodingContext(isStrict: true, readsText: true)
        return (try? usableValue(of: .string(text), in: &context)) != nil
    }

    /// Whether the key reads a name as the case that it names.
    final func isName(_ name: String, of value: Value) -> Bool {
        var context = Defaults.DecodingContext(isStrict: true)
        guard let read = try? decode(.string(name), in: &context), let form = try? self.form(of: value) else {
            return false
        }
        return (try? self.form(of: read)) == form
    }

    /// The words for the values.
    ///
    /// - Parameter isShown: Whether a text is shown as an example.
    final func words(showing isShown: (String) -> Bool) -> TypeWords {
        TypeWords.of(coding.storedBy, showsCases: !isSecret).showing { isShown($0.text) }
    }
}

extension PropertyListValue {
    /// Whether a JSON file may take the value, or a part of it, for one of another kind, as `{"$data": "aGk="}`.
    fileprivate var looksTagged: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.looksTagged)
        case .dictionary(let members):
            members.count == 1 && members.contains { $0.key.hasUTF8Prefix("$") }
                || members.contains { $0.value.looksTagged }
        case .boolean, .integer, .real, .string, .date, .data: false
        }
    }
}

extension String {
    /// Whether the text needs no quotation marks in a sentence.
    fileprivate var isOneWord: Bool {
        !isEmpty && first != "\"" && unicodeScalars.allSatisfy { "!"..."~" ~= $0 || $0.properties.isAlphabetic }
    }

    /// JSON text with escapes for what a person does not see, and for all but the first of several spaces.
    fileprivate var escapedSpaces: String {
        var (text, isSpace) = ("", false)
        for scalar in unicodeScalars {
            if scalar == " " ? !isSpace : !scalar.isInvisible {
                text.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
            isSpace = scalar == " "
        }
        return text
    }
}
