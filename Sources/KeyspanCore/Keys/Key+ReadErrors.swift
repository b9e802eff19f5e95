extension Defaults.TypedKey {
    /// Makes the error for a stored form, with its provenance if the store still has that form.
    @usableFromInline
    final func readError(
        _ cause: ValueDecodingError,
        in stored: StoredValue,
        of store: any PropertyListStore
    ) -> Defaults.ReadError {
        readErrors([cause], in: stored, of: store)[0]
    }

    /// Makes an error for each of several parts of a stored form.
    ///
    /// What concerns the whole form is found once, because nearly all of its parts may be unreadable.
    final func readErrors(
        _ causes: [ValueDecodingError],
        in stored: StoredValue,
        of store: any PropertyListStore
    ) -> [Defaults.ReadError] {
        let present = provenance(in: store, findingLines: false)
        let provenance = storedForm(in: store) == stored ? present : nil
        var collections: [ValuePath: [PropertyListValue]] = [:]
        return causes.map { cause in
            let part = stored.part(at: cause.path, &collections)
            return Defaults.ReadError(
                key: name,
                store: store.name,
                provenance: provenance,
                cause: isSecret ? cause.concealed : cause,
                details: details(of: cause, about: part, in: stored, from: provenance, of: store)
            )
        }
    }

    /// The value of a stored form in the words of an error; `nil` for a secret.
    final func excerpt(of stored: StoredValue?) -> String? {
        isSecret ? nil : stored?.value.excerpt(isText: stored?.isText == true)
    }

    private func details(
        of cause: ValueDecodingError,
        about part: StoredValue?,
        in stored: StoredValue,
        from provenance: Provenance?,
        of store: any PropertyListStore
    ) -> Defaults.ReadError.Details {
        var details = Defaults.ReadError.Details()
        if let part, part.value.kind == cause.foundKind, !isSecret, !cause.isAboutEqualTexts {
            details.found = part.value.excerpt(isText: part.isText)
        }
        if let part, case .typeMismatch(.string, let kind) = cause.cause, ![.data, .array, .dictionary].contains(kind),
            let text = store.presentSourceText(of: part.value, at: cause.path, ofKey: name)
        {
            let isShown = !isSecret && text.utf8.count <= PropertyListValue.mostScalarsOfExcerpt
            if isShown, !text.hasSameUTF8(as: part.value.description) {
                details.found = details.found.map { "\(text), which is \($0)" }
            }
            details.remedy =
                "put it in quotes there\(isShown ? ", as in \"\(text)\"" : ""), or remove it to return to the default of the key"
        }
        guard cause.path.steps.isEmpty else { return details }
        details.expectation = expectation(isText: stored.isText)
        guard stored.isText else { return details }
        let place = provenance.flatMap { $0.sources.count == 1 ? $0.sources[0].detail : nil }
        switch stored.value {
        case .boolean(let value):
            guard let flag = place, flag.hasUTF8Prefix("--") else { break }
            details.found = value ? "no value" : "false, for which the argument stands"
            details.remedy = remedy(forFlag: flag, isTrue: value, of: store)
        case .string(""):
            // That a secret is empty does not disclose it.
            details.found = "an empty text"
            details.remedy = Self.remedyForEmptyText(from: place)
        default: break
        }
        return details
    }

    /// The values that the key expects, unless the cause of an error says it better.
    private func expectation(isText: Bool) -> String? {
        if coding.isDirect || TypeName.unwrapped(coding.storedBy) is String.Type { return nil }
        let words = words { value(ofTyped: .string($0)) != nil }
        // The form of data depends on the format of a file.
        return words.isKnown && (isText || words.noun != "data") ? words.expectation(isText: isText) : nil
    }

    /// The remedy for a flag where a value is needed: a space in place of `=` is the usual mistake.
    private func remedy(forFlag flag: String, isTrue: Bool, of store: any PropertyListStore) -> String {
        let negation = "--no-"
        let name = !isTrue && flag.hasUTF8Prefix(negation) ? "--" + flag.dropFirst(negation.count) : flag
        guard isTrue, let next = store.argument(behindFlag: flag), isValue(next) else {
            let example = isSecret ? nil : words(showing: isValue).examples.first?.text
            return "write the value behind `=`, as in \(name)=\(example.map(Self.shellWord) ?? "…")"
        }
        return "write \(name)=\(isSecret ? "…" : Self.shellWord(next)), with `=` in place of the space"
    }

    /// A text as a word for a shell, or `…` if it is long, has invisible characters or may have a password.
    private static func shellWord(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count <= PropertyListValue.mostScalarsOfExcerpt, !text.isEmpty,
            !PropertyListValue.mayHaveUserInformation(text),
            scalars.allSatisfy({ $0 != "'" && !$0.isInvisible })
        else { return "…" }
        let isPlain = text.utf8.allSatisfy { byte in
            byte.isAlphanumeric || "_-.,:/=@%+".utf8.contains(byte)
        }
        return isPlain ? text : "'\(text)'"
    }

    private static func remedyForEmptyText(from place: String?) -> String {
        let beginning = "variable "
        if let place, place.hasUTF8Prefix(beginning) {
            let name = String(place.dropFirst(beginning.count))
            if name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") }) {
                return "give the variable a value, or unset it (`unset \(name)`) to return to the default of the key"
            }
        }
        return "write a value there, or remove the empty one to return to the default of the key"
    }
}

extension TypeWords {
    /// The values in the words of an error, with an example in the form of the source.
    fileprivate func expectation(isText: Bool) -> String {
        guard !isBetweenCommas, let example = examples.first else { return one }
        return "\(noun) such as \(isText ? example.word : example.json)"
    }
}

extension ValueDecodingError {
    /// Whether a collection, or the JSON text of a value, was expected in place of another text.
    var isAboutMissingCollection: Bool {
        guard path.steps.isEmpty else { return false }
        return switch cause {
        case .typeMismatch(let expected, .string): expected == .array || expected == .dictionary
        case .unreadable(.string, let reason): reason.hasSameUTF8(as: JSONCoding.invalidText)
        default: false
        }
    }

    fileprivate var foundKind: PropertyListKind {
        switch cause {
        case .typeMismatch(_, let found), .unreadable(let found, _), .rule(let found, _): found
        }
    }
}

extension StoredValue {
    /// The part at a path, which may lead into the collection that a text stands for; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - start: The number of the step that leads out of this value.
    ///   - collections: The collections of texts that were read already, by their paths.
    fileprivate func part(
        at path: ValuePath,
        from start: Int = 0,
        _ collections: inout [ValuePath: [PropertyListValue]]
    ) -> StoredValue? {
        var part = self
        for (position, step) in path.steps.enumerated().dropFirst(start) {
            if part.isText, case .string(let text) = part.value {
                let place = ValuePath(Array(path.steps[..<position]))
                let candidates = collections[place] ?? Self.collections(in: text)
                collections[place] = candidates
                for candidate in candidates {
                    let found = Self(candidate, isText: true).part(at: path, from: position, &collections)
                    if let found { return found }
                }
                return nil
            }
            guard let value = part.value.part(at: step) else { return nil }
            part = StoredValue(value, extent: part.extent.part(at: step))
        }
        return part
    }

    private static func collections(in text: String) -> [PropertyListValue] {
        switch CollectionText.marked(text) {
        case .string(let inner)?: collections(in: inner)
        case let collection?: [collection]
        case nil: CollectionText.lists(in: text)
        }
    }
}

extension PropertyListValue {
    /// The part at a path; `nil` if there is none.
    package func part(at path: ValuePath) -> PropertyListValue? {
        path.steps.reduce(self as PropertyListValue?) { $0?.part(at: $1) }
    }

    fileprivate func part(at step: ValuePath.Step) -> PropertyListValue? {
        switch (self, step) {
        case (.array(let elements), .index(let index)): elements.indices.contains(index) ? elements[index] : nil
        case (.dictionary(let members), .name(let name)): members[name]
        default: nil
        }
    }
}
