/// How much the tests try that could go on for ever.
enum TestExtent {
    /// Whether `KEYSPAN_THOROUGH` is set in the environment.
    static let isThorough = getenv("KEYSPAN_THOROUGH") != nil
}
