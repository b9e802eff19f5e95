/// What is wrong with a text and at which byte: small, so that code which may throw it stays fast.
///
/// ``JSONText`` turns it into a ``JSONTextError`` before a caller sees it.
struct JSONFault: Error {
    /// What is wrong.
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
    }

    let problem: Problem

    /// The index of the byte, or the number of bytes for the end of the text.
    let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}
