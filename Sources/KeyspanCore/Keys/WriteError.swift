extension Defaults {
    /// A value that could not be written; the store still has the old one.
    public struct WriteError: Error, Sendable {
        /// Why the value could not be written.
        public enum Cause: Error, Sendable {
            /// The value has no stored form.
            case encoding(ValueEncodingError)
            /// The store refused it.
            case store(StoreError)
            /// It breaks a rule of the key: what the rule asks for, as words that follow "has to be".
            case invalid(requirement: String)
        }

        /// The name of the key; empty if a store refused a batch without naming one of its keys.
        public let key: String
        /// The name of the store.
        public let store: String
        /// Why the value could not be written.
        public let cause: Cause

        @usableFromInline
        init(key: String, store: String, cause: Cause) {
            self.key = key
            self.store = store
            self.cause = cause
        }

        /// Reports the error where it cannot be thrown.
        @usableFromInline
        func report() {
            Problem.writeFailed(self).report()
        }
    }
}

extension Defaults.WriteError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        switch cause {
        case .encoding(let error):
            """
            key \(key.debugDescription)\(error.path) of \(store): \(error.reason); \
            the old value stays until one is written that can be stored.
            """
        case .store(let error):
            error.description
        case .invalid(let requirement):
            """
            key \(key.debugDescription) of \(store): the value has to be \(requirement); \
            the old value stays until one is written that is.
            """
        }
    }
}
