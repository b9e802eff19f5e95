extension String {
    /// The text in quotes, as an error shows it: each character that cannot be seen, or that changes the order or the shape of others, is
    /// there by its number, as in `"8080\u{00A0}"`.
    package var quoted: String {
        // Most texts are ASCII, of which Swift shows the same characters by their numbers.
        if utf8.allSatisfy({ $0 < 0x80 }) { return debugDescription }
        return "\"\(shown { $0.escaped(asASCII: false) })\""
    }

    /// The text without quotes, with the same characters by their numbers.
    package var visible: String {
        shown(as: String.init)
    }

    private func shown(as text: (Unicode.Scalar) -> String) -> String {
        var (shown, hasBase) = ("", false)
        for scalar in unicodeScalars {
            // A mark would combine with the quote, or with the number, before it.
            let isHidden = scalar.isInvisible || !hasBase && scalar.properties.isGraphemeExtend
            shown += isHidden ? scalar.escaped(asASCII: true) : text(scalar)
            hasBase = !isHidden
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Whether people cannot see the character, or see others in its place: a control or format character, a space other than the usual
    /// one, or a character without a shape.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        case .spaceSeparator: self != " "
        // The braille pattern without dots.
        default: properties.isDefaultIgnorableCodePoint || self == "\u{2800}"
        }
    }
}
