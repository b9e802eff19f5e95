#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The forms in which people write the values of a key where a source has nothing but text, such as a variable or an argument.

extension Defaults.TypedKey {
    /// The text that a person writes for a value; `nil` if the key reads no text as that value.
    ///
    /// A text that is not one word is in quotation marks. A collection is JSON text.
    final func writtenText(of value: Value) -> String? {
        guard let form = try? self.form(of: value) else { return nil }
        let texts = [
            (value as? any LosslessStringConvertible)?.description, CaseNames.text(of: value),
            (try? coding.readable?.encode(value))?.writtenText,
            form.dataValue.map { String(decoding: $0, as: UTF8.self) },
            form.writtenText,
        ]
        let text = texts.lazy.compactMap(\.self).first {
            self.value(ofText: $0).flatMap { try? self.form(of: $0) } == form
        }
        let isText = TypeName.unwrapped(Value.self) is String.Type
        return text.map { $0.isOneWord || !isText && CollectionText.marked($0) != nil ? $0 : $0.quoted }
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

    private func form(of value: Value) throws(ValueEncodingError) -> PropertyListValue? {
        coding.stored(under: name, in: try entries(of: value))?.value
    }

    /// The value that the key reads from a text, whatever the rules say; `nil` if it reads none.
    final func value(ofText text: String) -> Value? {
        var context = Defaults.DecodingContext(isStrict: true, readsText: true)
        return try? decode(.string(text), in: &context)
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

extension String {
    /// Whether the text needs no quotation marks in a sentence.
    fileprivate var isOneWord: Bool {
        !isEmpty && first != "\"" && unicodeScalars.allSatisfy { "!"..."~" ~= $0 || $0.properties.isAlphabetic }
    }
}
