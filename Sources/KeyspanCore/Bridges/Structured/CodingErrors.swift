extension ValueDecodingError {
    /// The error for a value with more levels than an encoder makes.
    static func nestedTooDeep(_ stored: PropertyListValue) -> Self {
        .unreadable(stored, reason: ValueEncodingError.nestedTooDeep.reason)
    }

    /// Converts the error of a decoder.
    ///
    /// The result omits the original text, which can contain the value.
    ///
    /// - Parameters:
    ///   - error: The error that an `init(from:)` or its decoder threw. An underlying `ValueDecodingError` is kept.
    ///   - stored: The decoded value.
    init(_ error: any Error, decoding stored: PropertyListValue) {
        self =
            switch error {
            case let error as ValueDecodingError: error
            case let error as DecodingError:
                (error.context?.underlyingError as? ValueDecodingError
                    ?? .unreadable(stored.part(at: error.codingPath), reason: error.reason(in: "it")))
                    .nested(under: error.codingPath)
            default: .unreadable(stored, reason: "its init(from:) threw \(type(of: error))")
            }
    }

    /// The same error, for a value at the end of a path.
    func nested(under codingPath: [any CodingKey]) -> ValueDecodingError {
        codingPath.reversed().reduce(self) { $0.nested(under: .init($1)) }
    }
}

extension DecodingError {
    var codingPath: [any CodingKey] { context?.codingPath ?? [] }

    fileprivate var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// The reason, without the decoder's own text.
    ///
    /// - Parameter subject: The decoded value, in words.
    func reason(in subject: String) -> String {
        switch self {
        case .keyNotFound(let key, _): "\(subject) has no \(key.stringValue.quoted)"
        case .typeMismatch(let type, _): "\(subject) is not \(TypeWords.of(type).noun)"
        case .valueNotFound(let type, _): "\(subject) has null where \(TypeWords.nounInside(of: type)) is needed"
        case .dataCorrupted: "its content is not valid for its type"
        @unknown default: "it does not decode"
        }
    }
}

extension DecodingError.Context {
    /// Wraps an error with its place.
    init(_ error: ValueDecodingError, at codingPath: [any CodingKey]) {
        self.init(codingPath: codingPath, debugDescription: error.description, underlyingError: error)
    }
}

extension ValuePath.Step {
    /// Makes the step to the part that a key stands for.
    ///
    /// The keys of members may have an integer too: the name "7" in a dictionary, and enumerations of keys with raw integers.
    init(_ key: any CodingKey) {
        // `JSONDecoder` gives this text to the keys of elements.
        guard let index = key.intValue, key is StructuredKey || key.stringValue.hasSameUTF8(as: "Index \(index)") else {
            self = .name(key.stringValue)
            return
        }
        self = .index(index)
    }
}

extension PropertyListValue {
    /// The part at the end of a path, or the deepest part that exists on it.
    fileprivate func part(at codingPath: [any CodingKey]) -> PropertyListValue {
        var part = self
        for key in codingPath {
            guard let next = part[key.stringValue] ?? key.intValue.flatMap({ part[$0] }) else { break }
            part = next
        }
        return part
    }
}

extension ValueEncodingError {
    /// Converts the error of an encoder.
    ///
    /// The result omits the value and the original text, which can contain it.
    ///
    /// - Parameters:
    ///   - error: The error that an `encode(to:)` or its encoder threw. An underlying `ValueEncodingError` is kept.
    ///   - format: The format that has no form for the value.
    init(_ error: any Error, format: String = "the structured form") {
        self =
            switch error {
            case let error as ValueEncodingError: error
            case EncodingError.invalidValue(_, let context):
                (context.underlyingError as? ValueEncodingError ?? Self(reason: "\(format) has no place for it"))
                    .nested(under: context.codingPath)
            default: Self(reason: "its encode(to:) threw \(type(of: error))")
            }
    }

    /// The same error, for a value at the end of a path.
    func nested(under codingPath: [any CodingKey]) -> ValueEncodingError {
        codingPath.reversed().reduce(self) { $0.nested(under: .init($1)) }
    }
}

extension EncodingError.Context {
    /// Wraps an error with its place.
    init(_ error: ValueEncodingError, at codingPath: [any CodingKey]) {
        self.init(codingPath: codingPath, debugDescription: error.description, underlyingError: error)
    }
}
