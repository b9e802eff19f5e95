/// A value that a person entered, and that a key cannot have.
struct InvalidGivenValue: Error {
    /// The problem in words; of a secret without its value.
    let reason: String

    /// A value, or a text, that the key cannot read.
    init(_ error: Defaults.ReadError) {
        let path = error.cause.path
        reason = (path.steps.isEmpty ? "" : "at \(path): ") + error.summary
    }

    /// A value that the key cannot write.
    init(_ cause: Defaults.WriteError.Cause) {
        reason =
            switch cause {
            case .encoding(let error): error.reason
            case .invalid(let requirement): "the value must be \(requirement)"
            case .store(let error): error.reason
            }
    }
}
