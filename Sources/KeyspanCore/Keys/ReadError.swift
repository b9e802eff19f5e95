extension Defaults {
    /// A value that is in the store but that its key cannot read.
    ///
    /// The value is still there, unchanged. The texts never contain it.
    public struct ReadError: Error, Sendable, Hashable {
        /// The name of the key.
        @UTF8Text public private(set) var key: String
        /// The name of the store.
        public let store: String
        /// Where the value came from: the layer, and the variable or the argument; without lines, as reading reads no file.
        public let provenance: Provenance?
        /// What was expected, what was found, and where inside the value.
        public let cause: ValueDecodingError
    }
}

extension Defaults.ReadError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        """
        key \(key.debugDescription)\(cause.path) of \(provenance?.description ?? store): \(cause.summary); \
        correct the value there, or remove it to return to the default of the key.
        """
    }
}
