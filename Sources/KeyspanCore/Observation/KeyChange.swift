extension Defaults {
    /// What an observer registered with ``observe(_:options:handler:)`` hears: a key's value before and after a change.
    ///
    /// A value that is absent or cannot be read is given as the key's default.
    public struct KeyChange<Value> {
        /// What was done to the value.
        public enum Kind: Sendable, Hashable {
            /// It was set or removed. There is no other kind; the type is here because code written for Defaults names it.
            case setting
        }

        /// What was done to the value.
        public let kind: Kind

        /// Whether this is the first of the two calls for one change that ``ObservationOption/prior`` asks for.
        public let isPrior: Bool

        /// The value after the change; the key's default if ``isPrior`` is set.
        public let newValue: Value

        /// The value before the change; the key's default in the initial call.
        public let oldValue: Value

        init(isPrior: Bool = false, oldValue: Value, newValue: Value) {
            kind = .setting
            self.isPrior = isPrior
            self.oldValue = oldValue
            self.newValue = newValue
        }
    }
}

extension Defaults.KeyChange: Equatable where Value: Equatable {}

extension Defaults.KeyChange: Sendable where Value: Sendable {}
