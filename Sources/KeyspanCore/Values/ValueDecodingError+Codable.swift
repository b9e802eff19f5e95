extension ValueDecodingError {
    /// The error of a decoder: ours if it carries one, or else one without the text, which can contain the value.
    ///
    /// - Parameters:
    ///   - error: What an `init(from:)` or its decoder threw.
    ///   - stored: What was decoded.
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

    /// The same error, for a value at the end of that path.
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

    /// What is wrong, without the decoder's own text.
    ///
    /// - Parameter subject: What was decoded, in words.
    func reason(in subject: String) -> String {
        switch self {
        case .keyNotFound(let key, _): "\(subject) has no \(key.stringValue.debugDescription)"
        case .typeMismatch(let type, _): "\(subject) is no \(type)"
        case .valueNotFound(let type, _): "\(subject) has null where a \(type) is needed"
        case .dataCorrupted: "its content is not valid for its type"
        @unknown default: "it does not decode"
        }
    }
}

extension DecodingError.Context {
    /// The place of an error, which goes along.
    init(_ error: ValueDecodingError, at codingPath: [any CodingKey]) {
        self.init(codingPath: codingPath, debugDescription: error.description, underlyingError: error)
    }
}

extension ValuePath.Step {
    init(_ key: any CodingKey) {
        self = key.intValue.map { .index($0) } ?? .name(key.stringValue)
    }
}

extension PropertyListValue {
    /// The part at the end of that path, or the last one on the way.
    fileprivate func part(at codingPath: [any CodingKey]) -> PropertyListValue {
        var part = self
        for key in codingPath {
            guard let next = part[key.stringValue] ?? key.intValue.flatMap({ part[$0] }) else { break }
            part = next
        }
        return part
    }
}
