/// Bytes that are no property list, or have what is no value of one: what is wrong, and where.
///
/// It never contains the content of a string or a number, which may be a secret; at most one offending character.
public struct PropertyListDataError: Error, Sendable, Hashable {
    /// A place in a document.
    public enum Place: Sendable, Hashable {
        /// A place in XML: the line, and the column in Unicode scalars, both counted from 1.
        ///
        /// Lines end with a line feed. A byte-order mark at the beginning is not counted.
        case text(line: Int, column: Int)
        /// A place in a binary document: the offset of the byte, counted from 0.
        case byte(Int)
    }

    /// The format that the document begins like.
    public var format: PropertyListData.Format {
        switch place {
        case .text: .xml
        case .byte: .binary
        }
    }

    /// Where it is.
    public let place: Place

    /// What is wrong, as a clause without a full stop.
    public let reason: String

    /// What to do about it, as a clause without a full stop, if there is a particular thing to do.
    public let remedy: String?
}

extension PropertyListDataError.Place: CustomStringConvertible {
    /// The place in words: `line 3, column 5`, or `byte 17`.
    public var description: String {
        switch self {
        case .text(let line, let column): "line \(line), column \(column)"
        case .byte(let offset): "byte \(offset)"
        }
    }
}

extension PropertyListDataError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String { "\(place): \(reason)\(remedy.map { "; \($0)" } ?? "")." }
}
