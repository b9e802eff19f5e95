/// The path from a key's value to one of its parts, such as `.servers[2].port`.
public struct ValuePath: Sendable, Hashable {
    /// One step of a path.
    public enum Step: Sendable, Hashable {
        /// Into an array, to the element at that index.
        case index(Int)
        /// Into a dictionary, to the entry of that name.
        case name(String)

        @_spi(StoreAuthors) public static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.index(let left), .index(let right)): left == right
            case (.name(let left), .name(let right)): left.hasSameUTF8(as: right)
            case (.index, .name), (.name, .index): false
            }
        }

        @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
            switch self {
            case .index(let index): hasher.combine(index)
            case .name(let name): hasher.combine(UTF8Text(name))
            }
        }
    }

    /// The steps, outermost first; empty for the value itself.
    public private(set) var steps: [Step]

    /// Makes a path from its steps.
    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// The same path, starting one level further out.
    func nested(under step: Step) -> ValuePath {
        ValuePath([step] + steps)
    }
}

extension ValuePath: CustomStringConvertible {
    /// The path as written after a key; empty for the value itself.
    public var description: String {
        steps.map { step in
            switch step {
            case .index(let index): "[\(index)]"
            case .name(let name): ".\(name.visible)"
            }
        }.joined()
    }
}

/// A stored value that its key cannot use: the expectation, the finding, and the place inside the value.
public struct ValueDecodingError: Error, Sendable, Hashable {
    /// The reason why a key cannot use a stored value.
    public enum Cause: Sendable, Hashable {
        /// The value is of another kind than the stored form of the type.
        case typeMismatch(expected: PropertyListKind, found: PropertyListKind)
        /// The value is of the right kind, but its content is invalid for the type.
        case unreadable(found: PropertyListKind, reason: String)
        /// The value is one of the type, but breaks a rule of the key: the rule's condition, as words that follow "must be".
        case rule(found: PropertyListKind, requirement: String)
    }

    /// The reason.
    public let cause: Cause

    /// The place inside the key's value; empty for the value itself.
    public let path: ValuePath

    /// A value of another kind than the stored form of the type.
    public static func typeMismatch(expected: PropertyListKind, found stored: PropertyListValue) -> ValueDecodingError {
        ValueDecodingError(cause: .typeMismatch(expected: expected, found: stored.kind), path: ValuePath())
    }

    /// A value of the right kind with invalid content.
    ///
    /// - Parameters:
    ///   - stored: The value. The error contains only its kind, because the content may be secret.
    ///   - reason: The reason, as a clause without a full stop and without any part of the value.
    public static func unreadable(_ stored: PropertyListValue, reason: String) -> ValueDecodingError {
        ValueDecodingError(cause: .unreadable(found: stored.kind, reason: reason), path: ValuePath())
    }

    init(cause: Cause, path: ValuePath) {
        self.cause = cause
        self.path = path
    }

    /// The same error, for a value inside another one.
    @usableFromInline package func nested(under step: ValuePath.Step) -> ValueDecodingError {
        ValueDecodingError(cause: cause, path: path.nested(under: step))
    }
}

extension ValueDecodingError: CustomStringConvertible {
    /// The error in words, without the key, which the enclosing error names.
    public var description: String {
        path.steps.isEmpty ? summary : "\(summary) (at \(path))"
    }

    /// The error in words, without the path.
    package var summary: String {
        switch cause {
        case .typeMismatch(let expected, let found): "expected \(expected.expectation) but found \(found.article)"
        case .unreadable(let found, let reason): "found \(found.article) that cannot be read: \(reason)"
        case .rule(let found, let requirement): "found \(found.article), but the stored value must be \(requirement)"
        }
    }

    /// The error in words, with more than it knows itself.
    ///
    /// - Parameters:
    ///   - found: The value that was found, in words; its kind if `nil`.
    ///   - expectation: The values that are expected, in words; their kind if `nil`.
    func summary(found: String?, expectation: String?) -> String {
        guard found != nil || expectation != nil else { return summary }
        return switch cause {
        case .typeMismatch(let expected, let kind):
            "expected \(expectation ?? expected.expectation) but found \(found ?? kind.article)"
        case .unreadable(let kind, let reason):
            found.map { "found \($0), which cannot be read: \(reason)" }
                ?? "found \(kind.article) that cannot be read: \(reason)"
        case .rule(let kind, let requirement):
            "found \(found ?? kind.article), but the stored value must be \(requirement)"
        }
    }
}

/// A value without a stored form: the bridge's reason, and the place inside the value.
public struct ValueEncodingError: Error, Sendable, Hashable {
    /// The reason, as a clause without a full stop.
    public let reason: String

    /// The place inside the value; empty for the value itself.
    public let path: ValuePath

    /// Makes an error for the value itself.
    public init(reason: String) {
        self.init(reason: reason, path: ValuePath())
    }

    private init(reason: String, path: ValuePath) {
        self.reason = reason
        self.path = path
    }

    /// The same error, for a value inside another one.
    @usableFromInline package func nested(under step: ValuePath.Step) -> ValueEncodingError {
        ValueEncodingError(reason: reason, path: path.nested(under: step))
    }

    /// The same error without the names of entries, which are parts of the value like any other.
    @usableFromInline package var concealed: ValueEncodingError {
        let steps = path.steps.prefix { if case .index = $0 { true } else { false } }
        return ValueEncodingError(reason: reason, path: ValuePath(Array(steps)))
    }
}

extension ValueEncodingError: CustomStringConvertible {
    /// The error in words, without the key, which the enclosing error names.
    public var description: String {
        path.steps.isEmpty ? reason : "\(reason) (at \(path))"
    }
}
