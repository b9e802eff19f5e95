@_spi(StoreAuthors) import KeyspanCore

/// A text that is not JSON, or JSON without a form as a property list: the place, the expected content, and the content found.
///
/// The error never contains the content of a string or a number, which may be a secret; at most one offending character.
@_spi(StoreAuthors) public struct JSONTextError: Error, Sendable, Hashable {
    /// The line, counted from 1.
    ///
    /// Lines end with a line feed.
    @_spi(StoreAuthors) public let line: Int

    /// The column in Unicode scalars, counted from 1.
    ///
    /// A byte-order mark at the beginning of the text is not counted.
    @_spi(StoreAuthors) public let column: Int

    /// The expected content of the place, as a noun phrase.
    @_spi(StoreAuthors) public let expected: String

    /// The content found instead, as a noun phrase.
    @_spi(StoreAuthors) public let found: String

    /// The remedy, as a clause without a full stop, if there is a particular one.
    @_spi(StoreAuthors) public let remedy: String?
}

extension JSONTextError: CustomStringConvertible {
    /// The error in one sentence.
    @_spi(StoreAuthors) public var description: String {
        let advice = remedy.map { "; \($0)" } ?? ""
        return "line \(line), column \(column): expected \(expected) but found \(found)\(advice)."
    }
}

/// The problem of a text, and its byte: a small error, so that code which can throw it stays fast.
///
/// ``JSONText`` turns it into a ``JSONTextError`` for callers.
struct JSONFault: Error {
    /// The kinds of problems.
    enum Problem {
        case emptyText
        case otherEncoding
        case nulBytes
        case topLevelObject
        case topLevelNull
        case contentAfterValue
        case value
        case valueAfterComma
        case literal
        case nullElement
        case memberName
        case memberNameAfterComma
        case colon
        case commaOrBracket
        case commaOrBrace
        case closingQuote
        case controlCharacter
        case escape
        case hexDigits
        case loneSurrogate
        case invalidUTF8
        case digit
        case leadingZero
        case integerRange
        case realRange
        case realDigits
        case duplicateName
        case nesting
        case comment
        case openComment
    }

    let problem: Problem

    /// The offset of the byte, or the number of bytes for the end of the text.
    let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension JSONTextError {
    /// Computes line and column of a fault and puts it into words.
    init(_ fault: JSONFault, in bytes: UnsafeBufferPointer<UInt8>) {
        let place = TextPlace(at: fault.offset, isInvalid: fault.problem == .invalidUTF8, in: bytes)
        line = place.line
        column = place.column
        expected = fault.problem.expected
        found = fault.problem.found ?? place.found
        let first = fault.problem.isRepetition ? JSONFirstMember.offset(ofNameRepeatedAt: fault.offset, in: bytes) : nil
        remedy =
            first.map { "the first one is in line \(TextPlace(at: $0, in: bytes).line): remove one of the two members" }
            ?? fault.problem.remedy
            ?? (fault.offset < bytes.count ? fault.problem.remedy(for: place.scalar) : fault.problem.remedyAtEnd)
    }
}

extension JSONFault.Problem {
    /// Whether a member repeats an earlier one.
    fileprivate var isRepetition: Bool { self == .duplicateName }

    fileprivate var expected: String {
        switch self {
        case .emptyText, .topLevelObject: "an object at the top level"
        case .otherEncoding, .nulBytes: "UTF-8 text"
        case .topLevelNull, .nullElement, .value, .valueAfterComma: "a value"
        case .contentAfterValue: "nothing after the value"
        case .literal: "`true`, `false` or `null`"
        case .memberName: "a member name in double quotes or `}`"
        case .memberNameAfterComma: "a member name in double quotes"
        case .colon: "`:` after the member name"
        case .commaOrBracket: "`,` or `]` after the element"
        case .commaOrBrace: "`,` or `}` after the member"
        case .closingQuote: "the closing quote of the string"
        case .controlCharacter: "no unescaped control character in a string"
        case .escape: "one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"
        case .hexDigits: "four hexadecimal digits after \\u"
        case .loneSurrogate: "a surrogate pair of two \\u escapes"
        case .invalidUTF8: "UTF-8 text"
        case .digit: "a digit"
        case .leadingZero: "a number without leading zeros"
        case .integerRange: "an integer from -2^63 to 2^64-1"
        case .realRange: "a number in the range of Double"
        case .realDigits: "a number whose digits a Double keeps"
        case .duplicateName: "a name that the object does not have yet"
        case .comment: "a comment that begins with `//` or `/*`"
        case .openComment: "`*/` at the end of the comment"
        case .nesting: "at most \(PropertyListValue.maximumNesting) nested collections"
        }
    }

    /// The content found, unless the byte at the fault shows it.
    fileprivate var found: String? {
        switch self {
        case .emptyText: "no text"
        case .otherEncoding: "UTF-16 or UTF-32 text"
        case .nulBytes: "NUL bytes"
        case .topLevelNull, .nullElement: "`null`"
        case .escape: "another escape"
        case .loneSurrogate: "one half of a pair"
        case .leadingZero: "a leading zero"
        case .integerRange: "an integer outside that range"
        case .realRange: "a number outside that range"
        case .realDigits: "more digits"
        case .duplicateName: "the same name again"
        case .openComment: "a comment without an end"
        case .nesting: "one more"
        default: nil
        }
    }

    fileprivate var remedy: String? {
        switch self {
        case .emptyText: "an empty file is not a JSON object: write `{}` into it"
        case .otherEncoding: "convert the text to UTF-8"
        case .nulBytes: "the file was probably damaged by a power failure: restore it from a copy"
        case .topLevelNull: "a property list has no null: write a value or remove the file"
        case .nullElement: "a property list has no null: remove the element"
        case .escape: "write a backslash as \\\\"
        case .loneSurrogate: "write the character itself"
        case .leadingZero: "remove the zero"
        case .integerRange: "write it with a decimal point as a real if a Double keeps it, or in quotes as a string"
        case .realRange: "write it in quotes as a string, or an infinity as {\"$real\": \"inf\"}"
        case .realDigits: "round it to 15 digits, or write it in quotes as a string"
        case .duplicateName: "remove one of the two members"
        case .nesting: "store it in a flatter form"
        case .openComment: "end the comment with `*/`"
        default: nil
        }
    }

    /// The remedy for a letter where no word of JSON is.
    fileprivate var remedyForLetter: String? {
        switch self {
        case .memberName, .memberNameAfterComma: "put the name in double quotes"
        case .value, .valueAfterComma: "write a truth value as `true` or `false`, and text in double quotes"
        case .commaOrBrace, .commaOrBracket: "put text, and a number with a unit, in double quotes"
        case .topLevelObject: "write an object in braces; files in YAML and TOML have stores of their own"
        default: nil
        }
    }

    /// The remedy for a text that ends too early.
    fileprivate var remedyAtEnd: String? {
        switch self {
        case .memberName, .memberNameAfterComma, .commaOrBrace, .commaOrBracket, .value, .valueAfterComma:
            "add the missing `}` or `]`"
        default: nil
        }
    }

    /// The remedy for a character of other languages that people often write into JSON.
    fileprivate func remedy(for scalar: Unicode.Scalar?) -> String? {
        switch (self, scalar) {
        case (.value, "'"?), (.valueAfterComma, "'"?), (.memberName, "'"?), (.memberNameAfterComma, "'"?),
            (.value, "\u{201C}"?), (.valueAfterComma, "\u{201C}"?), (.memberName, "\u{201C}"?),
            (.memberNameAfterComma, "\u{201C}"?):
            "use straight double quotes"
        case (.valueAfterComma, "]"?), (.valueAfterComma, "}"?), (.memberNameAfterComma, "}"?):
            "remove the comma before it"
        case (.comment, _): "write a comment as `// text` or `/* text */`"
        case (_, "/"?): "JSON has no comments: remove it, or name the file `.jsonc`"
        case (_, "#"?): "JSON has no comments that begin with `#`: remove it"
        case (.value, "N"?), (.valueAfterComma, "N"?), (.value, "I"?), (.valueAfterComma, "I"?), (.digit, "I"?):
            "write NaN and the infinities as {\"$real\": \"nan\"}, \"inf\" or \"-inf\""
        case (.value, "+"?), (.valueAfterComma, "+"?): "write a positive number without a sign"
        case (.value, "."?), (.valueAfterComma, "."?): "write a zero before the decimal point"
        case (.value, "T"?), (.valueAfterComma, "T"?), (.value, "F"?), (.valueAfterComma, "F"?):
            "write `true` and `false` in lower case"
        case (.controlCharacter, "\n"?), (.controlCharacter, "\r"?):
            "write it as an escape such as \\n, or end the string with `\"` before it"
        case (.controlCharacter, _): "write it as an escape such as \\n or \\u0000"
        case (.colon, "="?): "write `:` in place of `=`"
        case (.commaOrBrace, "\""?), (.commaOrBracket, "\""?), (.commaOrBracket, "{"?): "add a comma before it"
        case (.commaOrBrace, "_"?), (.commaOrBracket, "_"?): "write a number without `_`"
        case (.commaOrBrace, "x"?), (.commaOrBracket, "x"?):
            "write an integer in decimal digits, and text in double quotes"
        case (.topLevelObject, "["?): "write an object in braces"
        case (let problem, let scalar?) where scalar.properties.isAlphabetic: problem.remedyForLetter
        default: nil
        }
    }
}
