/// A regular expression of Swift, translated to the syntax of ECMA 262 that JSON Schema uses.
///
/// An expression is translated only if both dialects have all of its parts, and if the translation accepts every text that the
/// original matches. Swift matches characters, and ECMA 262 matches Unicode scalars or UTF-16 units. If an expression can match
/// more than ASCII characters, the translation therefore accepts all texts with such a character. In Swift, `\r\n` is one
/// character, too.
///
/// - SeeAlso: [ECMA 262, regular expressions](https://tc39.es/ecma262/#sec-patterns).
struct ECMAPattern {
    /// The expression for the whole text.
    let text: String

    /// Translates an expression; `nil` if it has a part that ECMA 262 lacks.
    init?(_ pattern: String) {
        var translation = Translation(pattern)
        guard translation.run() else { return nil }
        text = "^(?:\(translation.text))$" + (translation.isOfASCII ? "" : #"|[^\x00-\x0C\x0E-\x7F]"#)
    }
}

/// A translation in progress.
private struct Translation {
    private var rest: ArraySlice<Unicode.Scalar>
    /// The translation so far.
    private(set) var text = ""
    /// Whether every part matches only ASCII characters.
    private(set) var isOfASCII = true

    init(_ pattern: String) {
        rest = Array(pattern.unicodeScalars)[...]
        // The anchor is redundant, because the whole text must match.
        if rest.first == "^" { rest.removeFirst() }
    }

    /// Translates the whole expression; `false` if that is impossible.
    mutating func run() -> Bool {
        var openGroups = 0
        while let scalar = rest.popFirst() {
            switch scalar {
            case "(":
                guard openGroup() else { return false }
                openGroups += 1
            case ")":
                guard openGroups > 0 else { return false }
                openGroups -= 1
                text += ")"
                guard quantifier() else { return false }
            case "|": text += "|"
            case "$" where rest.isEmpty: break
            default:
                guard atom(scalar), quantifier() else { return false }
            }
        }
        return openGroups == 0
    }

    /// Begins a group.
    private mutating func openGroup() -> Bool {
        guard rest.first == "?" else {
            text += "("
            return true
        }
        rest.removeFirst()
        switch rest.popFirst() {
        case ":": text += "(?:"
        case "<":
            // The name is dropped: expressions with references to it are not translated.
            let name = rest.prefix { $0.isAlphanumericASCII || $0 == "_" }
            rest.removeFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == ">" else { return false }
            text += "("
        default: return false
        }
        return true
    }

    /// Translates one character, class or escape.
    private mutating func atom(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "[": return characterClass()
        case "\\": return escape()
        case ".":
            isOfASCII = false
            text += "."
            return true
        case "*", "+", "?", "{", "^", "$": return false
        default: return literal(scalar)
        }
    }

    /// Translates a literal character.
    private mutating func literal(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isPrintableASCII else { return false }
        if #"^$\.*+?()[]{}|"#.unicodeScalars.contains(scalar) { text += "\\" }
        text.unicodeScalars.append(scalar)
        return true
    }

    private mutating func escape() -> Bool {
        guard let scalar = rest.popFirst() else { return false }
        if scalar.isEscapedPunctuation { return literal(scalar) }
        guard takesEscape(scalar) else { return false }
        text += "\\"
        text.unicodeScalars.append(scalar)
        return true
    }

    /// Whether an escaped letter means the same in both dialects, for ASCII texts.
    private mutating func takesEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "t", "f": return true
        case "d", "D", "w", "W", "s", "S", "n", "r":
            isOfASCII = false
            return true
        default: return false
        }
    }

    /// Translates a character class after its opening bracket.
    private mutating func characterClass() -> Bool {
        text += "["
        if rest.first == "^" {
            rest.removeFirst()
            isOfASCII = false
            text += "^"
        }
        var isEmpty = true
        while let scalar = rest.popFirst() {
            switch scalar {
            case "]":
                text += "]"
                return !isEmpty
            case "-":
                guard isEmpty || rest.first == "]" else { return false }
                text += #"\-"#
            default:
                guard let lower = member(scalar) else { return false }
                text += lower.text
                guard rest.first == "-", rest.dropFirst().first != "]" else { break }
                rest.removeFirst()
                guard
                    let start = lower.scalar, let next = rest.popFirst(), next != "-", let upper = member(next),
                    let end = upper.scalar, start <= end
                else { return false }
                text += "-" + upper.text
            }
            isEmpty = false
        }
        return false
    }

    /// Translates a member of a class; the scalar is `nil` for a set of characters, and the result for an unknown member.
    private mutating func member(_ scalar: Unicode.Scalar) -> (text: String, scalar: Unicode.Scalar?)? {
        switch scalar {
        case "\\":
            guard let escaped = rest.popFirst() else { return nil }
            if escaped.isEscapedPunctuation { return (Self.textInClass(of: escaped), escaped) }
            return takesEscape(escaped) ? ("\\" + String(escaped), nil) : nil
        case "[": return nil
        // Two of them are an operator between classes.
        case "&" where rest.first == "&", "~" where rest.first == "~": return nil
        default: return scalar.isPrintableASCII ? (Self.textInClass(of: scalar), scalar) : nil
        }
    }

    private static func textInClass(of scalar: Unicode.Scalar) -> String {
        (#"\[]^-"#.unicodeScalars.contains(scalar) ? "\\" : "") + String(scalar)
    }

    /// Translates how often the last part may come.
    private mutating func quantifier() -> Bool {
        switch rest.first {
        case "*", "+", "?": text.unicodeScalars.append(rest.removeFirst())
        case "{":
            let count = rest.dropFirst().prefix { $0 != "}" }
            let bounds = count.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            rest = rest.dropFirst(1 + count.count)
            guard rest.popFirst() == "}", let lower = Self.number(bounds[0]), bounds.count <= 2 else { return false }
            if bounds.count == 2, !bounds[1].isEmpty {
                guard let upper = Self.number(bounds[1]), lower <= upper else { return false }
            }
            text += "{\(bounds.joined(separator: ","))}"
        default: return true
        }
        if rest.first == "?" {
            rest.removeFirst()
            text += "?"
        }
        // Another plus would forbid to go back, which ECMA 262 does not know.
        return rest.first != "+"
    }

    private static func number(_ digits: String) -> Int? {
        digits.utf8.allSatisfy(\.isDigit) ? Int(digits) : nil
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintableASCII: Bool { (0x20...0x7E).contains(value) }

    fileprivate var isAlphanumericASCII: Bool { UInt8(exactly: value)?.isAlphanumeric == true }

    /// Whether this character is literal after a backslash.
    fileprivate var isEscapedPunctuation: Bool {
        isPrintableASCII && !isAlphanumericASCII && !"<>'`".unicodeScalars.contains(self)
    }
}

extension String {
    fileprivate init(_ scalars: ArraySlice<Unicode.Scalar>) {
        self = ""
        unicodeScalars.append(contentsOf: scalars)
    }
}
