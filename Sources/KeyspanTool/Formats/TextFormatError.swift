/// A text that is not in the format it should be in: what is wrong, and where.
struct TextFormatError: Error, Equatable {
    /// What is wrong, as a clause without a full stop.
    let reason: String
    /// The line, from 1.
    let line: Int
    /// The column in characters, from 1.
    let column: Int
}

extension TextFormatError: CustomStringConvertible {
    var description: String { "\(reason) (line \(line), column \(column))" }
}
