/// A stored value that its type cannot be made from: what was expected, what was found, and where inside the value.
public struct ValueDecodingError: Error, Sendable, Hashable {
    /// What is wrong with the stored value.
    public enum Cause: Sendable, Hashable {
        /// The value is of another kind than the type is stored as.
        case typeMismatch(expected: PropertyListKind, found: PropertyListKind)
        /// The value is of the right kind, but its content does not make a value of the type.
        case unreadable(found: PropertyListKind, reason: String)
    }

    /// What is wrong.
    public let cause: Cause

    /// Where inside the key's value; empty for the value itself.
    public let path: ValuePath

    /// A value of another kind than the type is stored as.
    public static func typeMismatch(expected: PropertyListKind, found stored: PropertyListValue) -> ValueDecodingError {
        ValueDecodingError(cause: .typeMismatch(expected: expected, found: stored.kind), path: ValuePath())
    }

    /// A value of the right kind with a content that cannot be used.
    ///
    /// - Parameters:
    ///   - stored: The value; only its kind goes into the error, because the content may be a secret.
    ///   - reason: What is wrong with it, as a clause without a full stop.
    public static func unreadable(_ stored: PropertyListValue, reason: String) -> ValueDecodingError {
        ValueDecodingError(cause: .unreadable(found: stored.kind, reason: reason), path: ValuePath())
    }

    init(cause: Cause, path: ValuePath) {
        self.cause = cause
        self.path = path
    }

    /// The same error, for a value that is a part of another one.
    public func nested(under step: ValuePath.Step) -> ValueDecodingError {
        ValueDecodingError(cause: cause, path: path.nested(under: step))
    }
}

extension ValueDecodingError: CustomStringConvertible {
    /// The error in words, without the key, which the error around it names.
    public var description: String {
        path.steps.isEmpty ? summary : "\(summary) (at \(path))"
    }

    /// The error in words, without the path.
    var summary: String {
        switch cause {
        case .typeMismatch(let expected, let found): "expected \(expected.article) but found \(found.article)"
        case .unreadable(let found, let reason): "found \(found.article) that cannot be read: \(reason)"
        }
    }
}

extension PropertyListKind {
    var article: String {
        switch self {
        case .integer, .array: "an \(rawValue)"
        case .data: rawValue
        default: "a \(rawValue)"
        }
    }
}
