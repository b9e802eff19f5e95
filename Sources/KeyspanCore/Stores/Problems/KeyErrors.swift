extension Defaults {
    /// A stored value that its key cannot read.
    ///
    /// The value remains in the store, unchanged. The description never contains it.
    public struct ReadError: Error, Sendable, Hashable {
        /// The name of the key.
        @UTF8Text public private(set) var key: String
        /// The name of the store.
        public let store: String
        /// The source of the value: the layer, and the variable or the argument; the line only if the error is one of a validation, because
        /// reading opens no file.
        public let provenance: Provenance?
        /// The expected and the found kind, and the place inside the value.
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

extension Defaults {
    /// A failed write of a value; the store still has the old one.
    public struct WriteError: Error, Sendable {
        /// The reason of a failed write.
        public enum Cause: Error, Sendable {
            /// The value has no stored form.
            case encoding(ValueEncodingError)
            /// The store refused the value.
            case store(StoreError)
            /// The value breaks a rule of the key: the rule's condition, as words that follow "must be".
            case invalid(requirement: String)
        }

        /// The name of the key; empty if a store refused a batch without naming one of its keys.
        public let key: String
        /// The name of the store.
        public let store: String
        /// The reason of the failure.
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
            key \(key.debugDescription) of \(store): the value must be \(requirement); \
            the old value stays until one is written that is.
            """
        }
    }
}

extension Defaults {
    /// A stored value that its key cannot read, or that breaks a rule of the key.
    public struct InvalidValue: Error, Sendable, Hashable {
        /// The problem of a value.
        public enum Cause: Sendable, Hashable {
            /// The key cannot read it.
            case unreadable(ReadError)
            /// It breaks a rule: the rule's condition, as words that follow "must be".
            case rule(requirement: String)
        }

        /// The name of the key.
        @UTF8Text public private(set) var key: String
        /// The name of the store.
        public let store: String
        /// The source of the value: the layer, and the line, the variable or the argument.
        public let provenance: Provenance?
        /// The problem.
        public let cause: Cause
    }
}

extension Defaults.InvalidValue {
    /// The same problem at a place that is known better.
    func located(at provenance: Provenance?) -> Defaults.InvalidValue {
        let cause: Cause =
            switch cause {
            case .unreadable(let error):
                .unreadable(.init(key: error.key, store: error.store, provenance: provenance, cause: error.cause))
            case .rule: cause
            }
        return Defaults.InvalidValue(key: key, store: store, provenance: provenance, cause: cause)
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
            key \(key.debugDescription) of \(provenance?.description ?? store): the stored value must be \(requirement); \
            correct it there, or remove it to return to the default of the key.
            """
        }
    }
}

extension Defaults {
    /// All problems of the values of some keys; thrown by ``validate(_:)``.
    public struct ValidationError: Error, Sendable, Hashable {
        /// The problems, in the order of the keys; never empty.
        public let problems: [InvalidValue]

        package init(problems: [InvalidValue]) {
            self.problems = problems
        }
    }
}

extension Defaults.ValidationError: CustomStringConvertible {
    /// A line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
