extension PropertyListValue {
    /// The value with the text of another one in those parts that stand for the same.
    ///
    /// A key gives a value one form, such as `1m30s`, where a person may have written another, such as `90s`. The new form
    /// `["1d", "1m30s", "5s"]` in the place of the text `["24h", "90s"]`, whose form is `["1d", "1m30s"]`, becomes `["24h", "90s", "5s"]`.
    /// Members stay that the old form lacks, because the type does not know them, and sets stay in the order of their text.
    ///
    /// The result is a guess at the meaning of the text: a caller examines whether it has the form of the new value.
    ///
    /// - Parameters:
    ///   - text: The old value as it was written.
    ///   - form: The form that a key gives the old value.
    func keepingText(of text: PropertyListValue, whoseFormIs form: PropertyListValue) -> PropertyListValue {
        if self == form { return text }
        switch (self, text, form) {
        case (.array(let new), .array(let text), .array(let form)) where text.count == form.count:
            if text != form, Self.counts(text) == Self.counts(form) {
                return .array(Self.members(new, inOrderOf: text))
            }
            let changes = ArrayChanges(from: form, to: new)
            return .array(
                changes.applied(to: text) { $1.keepingText(of: text[$0], whoseFormIs: form[$0]) }
            )
        case (.dictionary(var new), .dictionary(let text), .dictionary(let form)):
            for (name, value) in text {
                switch (new[name], form[name]) {
                case (nil, nil): new[name] = value
                case (let part?, let old?): new[name] = part.keepingText(of: value, whoseFormIs: old)
                default: break
                }
            }
            return .dictionary(new)
        default: return self
        }
    }

    /// The elements in the order of others, and behind these the elements that are new: the key gives a set an order of its own.
    private static func members(
        _ elements: [PropertyListValue],
        inOrderOf others: [PropertyListValue]
    ) -> [PropertyListValue] {
        let (members, known) = (Set(elements), Set(others))
        return others.filter(members.contains) + elements.filter { !known.contains($0) }
    }

    private static func counts(_ elements: [PropertyListValue]) -> [PropertyListValue: Int] {
        Dictionary(elements.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
