extension Defaults {
    /// A stored value that its key cannot use: it cannot be read, or breaks a rule of the key.
    ///
    /// The value remains in the store, unchanged. The description shows it, shortened, unless the key is marked as secret.
    public struct ReadError: Error, Sendable, Hashable {
        /// The name of the key.
        @UTF8Text public private(set) var key: String
        /// The name of the store.
        public let store: String
        /// The source of the value: the layer, and the variable or the argument; the line only if the error is one of a validation, because
        /// reading opens no file.
        public let provenance: Provenance?
        /// The expected and the found kind or the broken rule, and the place inside the value.
        public let cause: ValueDecodingError
        /// The details that people need to correct the value.
        let details: Details

        /// The details of an error that people need to correct the value.
        struct Details: Sendable, Hashable {
            /// The value, or the part of it that cannot be read, in words; `nil` for a secret.
            var found: String?
            /// The values that are expected, in words; `nil` if the cause is enough.
            var expectation: String?
            /// The remedy, as a clause; `nil` for the usual one.
            var remedy: String?
        }

        init(
            key: String,
            store: String,
            provenance: Provenance?,
            cause: ValueDecodingError,
            details: Details = Details()
        ) {
            self.store = store
            self.provenance = provenance
            self.cause = cause
            self.details = details
            self.key = key
        }

        /// The value that was found, shortened, as words such as `the string "abc"`; `nil` for a secret, and if it is not known.
        public var found: String? { details.found }
    }
}

extension Defaults.ReadError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let remedy = details.remedy ?? "correct the value there, or remove it to return to the default of the key"
        return "key \(key.quoted)\(cause.path) of \(provenance?.description ?? store): \(summary); \(remedy)."
    }

    /// The expected and the found value in words, without the place.
    package var summary: String { cause.summary(found: details.found, expectation: details.expectation) }
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
            key \(key.quoted)\(error.path) of \(store): \(error.reason); \
            the old value stays until one is written that can be stored.
            """
        case .store(let error):
            // A key with several entries is named itself.
            error.key == nil && !key.isEmpty
                ? error.sentence(about: "key \(key.quoted) of \(error.store)") : error.description
        case .invalid(let requirement):
            """
            key \(key.quoted) of \(store): the value must be \(requirement); \
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
        /// The value that was found, shortened, as words such as `the integer 70000`; `nil` for a secret, and if it is not known.
        public let found: String?

        init(key: String, store: String, provenance: Provenance?, cause: Cause, found: String? = nil) {
            self.store = store
            self.provenance = provenance
            self.cause = cause
            self.found = found
            self.key = key
        }
    }
}

extension Defaults.InvalidValue {
    /// The same problem at a place that is known better.
    func located(at provenance: Provenance?) -> Defaults.InvalidValue {
        let cause: Cause =
            switch cause {
            case .unreadable(let error):
                .unreadable(
                    .init(
                        key: error.key,
                        store: error.store,
                        provenance: provenance,
                        cause: error.cause,
                        details: error.details
                    )
                )
            case .rule: cause
            }
        return Defaults.InvalidValue(key: key, store: store, provenance: provenance, cause: cause, found: found)
    }
}

extension Defaults.InvalidValue: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        switch cause {
        case .unreadable(let error):
            error.description
        case .rule:
            """
            key \(key.quoted) of \(provenance?.description ?? store): \(summary); \
            correct it there, or remove it to return to the default of the key.
            """
        }
    }

    /// The problem in words, without the place.
    package var summary: String {
        switch cause {
        case .unreadable(let error): error.summary
        case .rule(let requirement):
            (found.map { "found \($0), but " } ?? "") + "the stored value must be \(requirement)"
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
