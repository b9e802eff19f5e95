/// A value that has no stored form: what its bridge refused, and where inside the value.
public struct ValueEncodingError: Error, Sendable, Hashable {
    /// What is wrong with the value, as a clause without a full stop.
    public let reason: String

    /// Where inside the value; empty for the value itself.
    public let path: ValuePath

    /// Makes an error for the value itself.
    public init(reason: String) {
        self.init(reason: reason, path: ValuePath())
    }

    private init(reason: String, path: ValuePath) {
        self.reason = reason
        self.path = path
    }

    /// The same error, for a value that is a part of another one.
    public func nested(under step: ValuePath.Step) -> ValueEncodingError {
        ValueEncodingError(reason: reason, path: path.nested(under: step))
    }
}

extension ValueEncodingError: CustomStringConvertible {
    /// The error in words, without the key, which the error around it names.
    public var description: String {
        path.steps.isEmpty ? reason : "\(reason) (at \(path))"
    }
}
