import Keyspan
import KeyspanCore

/// The form of a text: a regular expression, and the words of the schema for it.
struct SchemaForm {
    /// The expression.
    let pattern: SchemaPattern
    /// The `description` beside the expression.
    private let words: String?
    /// Some of the `examples` beside it.
    private let examples: [String]

    private static let mostExamples = 3

    /// Makes the form of a text.
    ///
    /// - Parameters:
    ///   - pattern: The expression.
    ///   - keywords: The schema with the expression.
    init(_ pattern: SchemaPattern, in keywords: PropertyListDictionary) {
        self.pattern = pattern
        words = keywords["description"]?.stringValue
        let examples = (keywords["examples"]?.arrayValue ?? []).compactMap(\.stringValue)
        self.examples = Array(examples.filter { pattern.matches($0) }.prefix(Self.mostExamples))
    }

    /// The problem of a text in another form, as the end of a sentence.
    ///
    /// Examples explain a form better than its expression does. A description may be one of the purpose only, so the expression
    /// follows it, at the very end.
    var complaint: String {
        let subject =
            "does not have the form that the schema "
            + (words.map { "describes as \(JSONLine.text(of: .string($0)))" } ?? "requires")
        if examples.isEmpty { return "\(subject); the pattern is \(pattern.text)" }
        return "\(subject), such as \(examples.map { JSONLine.text(of: .string($0)) }.joined(separator: ", "))."
    }
}

/// A regular expression of ECMA 262.
struct SchemaPattern {
    /// The expression as the schema has it.
    let text: String
    private let translation: String

    /// Makes a pattern; `nil` if it is not an expression that `Regex` can match in the same way.
    init?(_ text: String) {
        guard let translation = Self.translation(of: text), (try? Regex(translation)) != nil else { return nil }
        (self.text, self.translation) = (text, translation)
    }

    /// Whether a part of the text matches.
    func matches(_ text: String) -> Bool {
        // `Regex` is not `Sendable`, so each check makes its own. The expression was valid in the initializer.
        guard let expression = try? Regex(translation) else { return false }
        let scalars = expression.matchingSemantics(.unicodeScalar).asciiOnlyDigits().asciiOnlyWordCharacters()
            .wordBoundaryKind(.simple)
        return text.firstMatch(of: scalars) != nil
    }

    /// The letters after a backslash that mean the same to ECMA 262 and to `Regex`.
    private static let escapes = Set("BDPSWbdfknprstuwx".unicodeScalars)

    /// The expression for `Regex`, whose `$` would also match before a line feed at the end; `nil` if `Regex` reads it otherwise.
    private static func translation(of text: String) -> String? {
        var (result, isEscaped, isInClass) = (String.UnicodeScalarView(), false, false)
        var former: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer {
                former = isEscaped ? nil : scalar
                isEscaped = scalar == "\\" && !isEscaped
            }
            if isEscaped {
                if scalar.isASCII, scalar.properties.isAlphabetic, !escapes.contains(scalar) { return nil }
            } else if isInClass {
                // Operators of sets, and classes within a class, which ECMA 262 does not have.
                if scalar == former, ["&", "-", "~"].contains(scalar) { return nil }
                if scalar == "[" { result.append("\\") }
                if scalar == "]" { isInClass = false }
            } else if scalar == "$" {
                result.append(contentsOf: #"\z"#.unicodeScalars)
                continue
            } else if scalar == "[" {
                isInClass = true
            }
            result.append(scalar)
        }
        return String(result)
    }
}
