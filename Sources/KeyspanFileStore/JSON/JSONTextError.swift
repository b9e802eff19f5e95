/// A text that is no JSON, or JSON that has no form as a property list: the place, what belongs there, what is there.
///
/// It never contains the content of a string or a number, which may be a secret; at most one offending character.
public struct JSONTextError: Error, Sendable, Hashable {
    /// The line, counted from 1.
    ///
    /// Lines end with a line feed.
    public let line: Int

    /// The place within the line in Unicode scalars, counted from 1.
    ///
    /// A byte-order mark at the beginning of the text is not counted.
    public let column: Int

    /// What belongs there, as a noun phrase.
    public let expected: String

    /// What is there instead, as a noun phrase.
    public let found: String

    /// What to do about it, as a clause without a full stop, if there is a particular thing to do.
    public let remedy: String?
}

extension JSONTextError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let advice = remedy.map { "; \($0)" } ?? ""
        return "line \(line), column \(column): expected \(expected) but found \(found)\(advice)."
    }
}
