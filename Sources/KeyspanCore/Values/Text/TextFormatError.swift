/// A text that is not in the format it should be in: what is wrong, and where.
package struct TextFormatError: Error, Equatable {
    /// What is wrong, as a clause without a full stop.
    package let reason: String
    /// The line, from 1.
    package let line: Int
    /// The column in characters, from 1.
    package let column: Int

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - reason: What is wrong, as a clause without a full stop.
    ///   - line: The line, from 1.
    ///   - column: The column in characters, from 1.
    package init(reason: String, line: Int, column: Int) {
        self.reason = reason
        self.line = line
        self.column = column
    }
}

extension TextFormatError: CustomStringConvertible {
    /// What is wrong and where, as a clause.
    package var description: String { "\(reason) (line \(line), column \(column))" }
}
