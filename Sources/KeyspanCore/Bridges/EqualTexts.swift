/// Texts that a store keeps apart, and that a `Dictionary` or a `Set` of Swift takes for one.
extension ValueDecodingError {
    /// The error for an entry whose name makes a key that another entry has taken.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - stored: What is stored under it.
    ///   - first: The name of the entry that has taken it.
    static func equalNames(
        _ name: String,
        of stored: PropertyListValue,
        after first: String
    ) -> ValueDecodingError {
        let text = first.hasSameUTF8(as: name) ? "the same one" : first.scalarDescription
        return .unreadable(
            stored,
            reason: "its name \(name.scalarDescription) and \(text) make equal keys, of which a dictionary holds one"
        )
    }
}

extension Defaults.DecodingContext {
    /// Reports each text of an array that a set takes for an earlier one although its bytes differ.
    ///
    /// - Throws: ``ValueDecodingError`` for the first one if reading is strict.
    @usableFromInline
    mutating func reportEqualTexts(in stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .array(let elements) = stored else { return }
        var firstPlaces: [String: Int] = [:]
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else { continue }
            guard let first = firstPlaces[text] else {
                firstPlaces[text] = index
                continue
            }
            if elements[first] == element { continue }
            let _: Void? = try part(at: .index(index)) { (_) throws(ValueDecodingError) in
                throw .unreadable(element, reason: "a set takes it for the text at index \(first), whose bytes differ")
            }
        }
    }
}

extension String {
    /// The text in quotation marks with all that is not ASCII escaped, so that texts which look alike can be told apart.
    fileprivate var scalarDescription: String {
        "\"" + unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
    }
}
