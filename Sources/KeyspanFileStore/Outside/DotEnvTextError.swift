/// A text that is not a `.env` file: the place, the problem and the remedy.
///
/// The error never contains a value.
@_spi(StoreAuthors) public struct DotEnvTextError: Error, Sendable, Hashable {
    /// The line, counted from 1.
    ///
    /// Lines end with a line feed.
    @_spi(StoreAuthors) public let line: Int
    /// The column in Unicode scalars, counted from 1.
    @_spi(StoreAuthors) public let column: Int
    /// The problem, as a clause without a period.
    @_spi(StoreAuthors) public let reason: String
    /// The remedy, as a clause without a period.
    @_spi(StoreAuthors) public let remedy: String
}

extension DotEnvTextError: CustomStringConvertible {
    /// The error in one sentence.
    @_spi(StoreAuthors) public var description: String { "line \(line), column \(column): \(reason); \(remedy)." }
}

/// The problem of a text, and its byte.
struct DotEnvFault: Error {
    enum Problem {
        case otherEncoding, invalidUTF8, nulByte, carriageReturn
        case name, equalsSign, duplicate(firstLine: Int)
        case closingQuote, contentAfterQuote, escape, expansion
    }

    let problem: Problem
    /// The offset of the byte, or the number of bytes for the end of the text.
    let offset: Int

    init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
    }
}

extension DotEnvTextError {
    init(_ fault: DotEnvFault, in bytes: UnsafeBufferPointer<UInt8>) {
        let isInvalid = if case .invalidUTF8 = fault.problem { true } else { false }
        let place = TextPlace(at: fault.offset, isInvalid: isInvalid, in: bytes)
        let (reason, remedy) = fault.problem.words(found: place.found)
        self.init(line: place.line, column: place.column, reason: reason, remedy: remedy)
    }
}

extension DotEnvFault.Problem {
    /// The problem and its remedy, neither with a part of a value.
    func words(found: String) -> (reason: String, remedy: String) {
        switch self {
        case .otherEncoding:
            ("the text is not UTF-8", "save it as UTF-8")
        case .invalidUTF8:
            ("there are bytes that are not UTF-8", "save the text as UTF-8")
        case .nulByte:
            ("there is a NUL character, which no variable can have", "remove it")
        case .carriageReturn:
            ("there is a carriage return that does not end a line", "end lines with LF or CRLF")
        case .name:
            (
                "expected the name of a variable but found \(found)",
                "begin each line with a name of letters, digits and `_` that does not begin with a digit, or with `#`"
            )
        case .equalsSign:
            ("expected `=` after the name but found \(found)", "give the variable a value, as in `NAME=value`")
        case .duplicate(let firstLine):
            ("the variable has a value in line \(firstLine) already", "remove one of the two lines")
        case .closingQuote:
            ("the value in quotes that begins here has no end", "add the closing quote")
        case .contentAfterQuote:
            (
                "there is more than a comment after the closing quote",
                "put the whole value in quotes, and write a quote in it as `\\\"` in double quotes"
            )
        case .escape:
            (
                "a backslash in double quotes begins `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\` or `\\$`, and none of them is here",
                "write `\\\\` for a backslash, or put the value in single quotes"
            )
        case .expansion:
            (
                "`$` begins a variable or a command, which are not replaced here",
                "write `\\$` for a dollar sign, or put the value in single quotes"
            )
        }
    }
}
