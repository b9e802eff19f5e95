/// The forms in which bridges store a `Codable` value.
///
/// Each bridge writes one of them and reads both. Equal values have equal forms, in each process and on each device.
enum CodableForm {
    /// JSON text, in a string or in data.
    case json
    /// The form that ``PropertyListValueEncoder`` makes.
    case structured

    /// Decodes a value from either form.
    ///
    /// Only a string and data can be in both forms. For these, the preferred form is tried first.
    ///
    /// - Throws: The error of the more likely form if both fail.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue,
        preferring form: CodableForm
    ) throws(ValueDecodingError) -> Value {
        do throws(ValueDecodingError) {
            return try decodeForm(type, from: stored, preferring: form)
        } catch {
            guard case .string(let name) = stored else { throw error }
            if let value = CaseNames.value(of: name, as: type) { return value }
            guard let names = CaseNames.clause(of: type) else { throw error }
            throw .noCase(stored, names)
        }
    }

    private static func decodeForm<Value: Decodable>(
        _ type: Value.Type,
        from stored: PropertyListValue,
        preferring form: CodableForm
    ) throws(ValueDecodingError) -> Value {
        switch (stored, form) {
        case (.string, .json), (.data, .json):
            do throws(ValueDecodingError) {
                return try JSONCoding.decode(type, from: stored)
            } catch {
                // If both forms fail, the error about the preferred one is thrown.
                guard let value = try? PropertyListValueDecoder().decode(type, from: stored) else { throw error }
                return value
            }
        case (.string, .structured), (.data, .structured):
            do throws(ValueDecodingError) {
                return try PropertyListValueDecoder().decode(type, from: stored)
            } catch {
                // The type is stored as a collection, so a string or data was meant to be JSON text.
                if error.isOfOtherKind { return try JSONCoding.decode(type, from: stored) }
                // If both forms fail, the error about the preferred one is thrown.
                guard let value = try? JSONCoding.decode(type, from: stored) else { throw error }
                return value
            }
        default:
            return try PropertyListValueDecoder().decode(type, from: stored)
        }
    }
}

extension ValueDecodingError {
    /// Whether the outermost value was of another kind than the stored form of its type.
    fileprivate var isOfOtherKind: Bool {
        if case .typeMismatch = cause { path.steps.isEmpty } else { false }
    }
}

// The parts from which an encoder makes a form. In JSON, each part is its text in a string.
extension CodableForm {
    /// The name of the form in errors.
    var name: String {
        switch self {
        case .json: "JSON"
        case .structured: "the structured form"
        }
    }

    /// The form of `nil` where it occupies a place.
    var null: PropertyListValue {
        switch self {
        case .json: "null"
        case .structured: StructuredNull.form
        }
    }

    /// The form of a value without containers; `nil` if its type encodes itself in this form.
    func form(of leaf: any StructuredLeaf) throws(ValueEncodingError) -> PropertyListValue? {
        switch self {
        case .json: try leaf.jsonText().map { .string($0) }
        case .structured: StructuredNull.escape(try leaf.structuredForm())
        }
    }

    /// The form of an array.
    func array(_ elements: [PropertyListValue]) -> PropertyListValue {
        guard self == .json else { return .array(elements) }
        var json = "["
        for (index, element) in elements.enumerated() {
            if index > 0 { json += "," }
            json += JSONForm.text(element)
        }
        return .string(json + "]")
    }

    /// The form of a dictionary.
    func dictionary(_ entries: PropertyListDictionary) -> PropertyListValue {
        guard self == .json else { return .dictionary(entries) }
        var json = "{"
        for (index, (name, value)) in entries.sortedByName().enumerated() {
            if index > 0 { json += "," }
            JSONForm.append(name, to: &json)
            json += ":"
            json += JSONForm.text(value)
        }
        return .string(json + "}")
    }

    /// The greatest number of levels of a value.
    ///
    /// A type that contains itself takes a part of the stack for each value. JSON text has more levels than property lists, because
    /// `JSONEncoder` wrote such text: a list as an enumeration has two for each element.
    var maximumLevels: Int {
        switch self {
        case .json: 3 * PropertyListValue.maximumNesting / 2
        case .structured: PropertyListValue.maximumNesting
        }
    }

    /// The order of members where it has no meaning, as in a set.
    ///
    /// - Parameters:
    ///   - starts: The positions at which the members begin.
    ///   - elements: The elements of all members.
    func order(ofMembersAt starts: [Int], in elements: [PropertyListValue]) -> [Int] {
        let length = elements.count / max(starts.count, 1)
        guard self == .json else {
            return starts.sorted { left, right in
                elements[left..<left + length].lexicographicallyPrecedes(
                    elements[right..<right + length],
                    by: PropertyListValue.isOrderedBefore
                )
            }
        }
        let texts = elements.map(JSONForm.text)
        // Numbers by their size, before all texts.
        let numbers = texts.map { Double($0) ?? .infinity }
        return starts.sorted { left, right in
            if numbers[left] != numbers[right] { return numbers[left] < numbers[right] }
            return texts[left..<left + length].lexicographicallyPrecedes(texts[right..<right + length]) {
                $0.utf8Precedes($1)
            }
        }
    }
}
