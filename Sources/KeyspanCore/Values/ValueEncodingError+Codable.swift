extension ValueEncodingError {
    /// The error of an encoder: ours if it carries one, or else one without the value and the text, which can contain it.
    ///
    /// - Parameters:
    ///   - error: What an `encode(to:)` or its encoder threw.
    ///   - format: What has no form for the value.
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

    /// The same error, for a value at the end of that path.
    func nested(under codingPath: [any CodingKey]) -> ValueEncodingError {
        codingPath.reversed().reduce(self) { $0.nested(under: .init($1)) }
    }
}

extension EncodingError.Context {
    /// The place of an error, which goes along.
    init(_ error: ValueEncodingError, at codingPath: [any CodingKey]) {
        self.init(codingPath: codingPath, debugDescription: error.description, underlyingError: error)
    }
}
