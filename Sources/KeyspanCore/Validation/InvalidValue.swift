extension Defaults {
    /// A stored value that its key cannot read, or that breaks a rule of the key.
    public struct InvalidValue: Error, Sendable, Hashable {
        /// What is wrong with a value.
        public enum Cause: Sendable, Hashable {
            /// The key cannot read it.
            case unreadable(ReadError)
            /// It breaks a rule: what the rule asks for, as words that follow "has to be".
            case rule(requirement: String)
        }

        /// The name of the key.
        @UTF8Text public private(set) var key: String
        /// The name of the store.
        public let store: String
        /// Where the value came from: the layer, and the variable or the argument; without lines, as reading reads no file.
        public let provenance: Provenance?
        /// What is wrong with the value.
        public let cause: Cause
    }
}

extension Defaults.InvalidValue: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        switch cause {
        case .unreadable(let error):
            error.description
        case .rule(let requirement):
            """
            key \(key.debugDescription) of \(provenance?.description ?? store): the stored value has to be \(requirement); \
            correct it there, or remove it to return to the default of the key.
            """
        }
    }
}
