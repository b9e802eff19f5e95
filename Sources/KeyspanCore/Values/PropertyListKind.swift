/// The kind of a ``PropertyListValue`` without its content, for errors and type listings.
public enum PropertyListKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A truth value.
    case boolean
    /// A whole number.
    case integer
    /// A floating-point number.
    case real
    /// Unicode text.
    case string
    /// A point in time.
    case date
    /// A sequence of bytes.
    case data
    /// An ordered list of values.
    case array
    /// Values by name.
    case dictionary

    /// The kind's name, in lower case.
    public var description: String { rawValue }
}

extension PropertyListValue {
    /// The kind of this value.
    public var kind: PropertyListKind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .string: .string
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        }
    }
}
