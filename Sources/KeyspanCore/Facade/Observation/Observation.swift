extension Defaults {
    /// The registration of a handler with ``observe(_:options:handler:)``.
    ///
    /// It ends when it is invalidated or released, or with the object to which it is tied. Safe to use from any thread.
    public protocol Observation: AnyObject, Sendable {
        /// Ends the registration: no call of the handler begins after this returns.
        ///
        /// A call that had already begun on another thread may still be running.
        func invalidate()

        /// Keeps the registration alive for as long as another object lives, and ends it with that object.
        ///
        /// ```swift
        /// final class Thermostat {
        ///     private var target = 20.0
        ///
        ///     init(_ defaults: Defaults, _ key: Defaults.Key<Double>) {
        ///         defaults.observe(key) { [unowned self] change in
        ///             target = change.newValue
        ///         }.tieToLifetime(of: self)
        ///     }
        /// }
        /// ```
        ///
        /// The handler is not called after the object is deallocated, and the object is retained during a call, so the handler
        /// may capture it `unowned`. A handler that captures it strongly keeps it alive forever.
        ///
        /// The object is not modified, so its deallocation goes unnoticed at first. A table holds the registration, which checks
        /// before each call of the handler whether the object still exists. The registration is therefore released at the first
        /// change of its keys after the deallocation, or, if they do not change, when the number of tied registrations has
        /// doubled since the table was last searched.
        ///
        /// A registration is tied to one object, the last one.
        @discardableResult
        func tieToLifetime(of weaklyHeldObject: AnyObject) -> Self

        /// Undoes ``tieToLifetime(of:)``; the registration then ends when it is invalidated or released.
        ///
        /// If the object has been deallocated, the registration has ended.
        func removeLifetimeTie()
    }
}

extension Defaults {
    /// A time, other than after each change, at which the handler of ``observe(_:options:handler:)`` is called.
    public enum ObservationOption: Sendable {
        /// Once at the beginning, with the present value, before the registration returns.
        case initial

        /// Twice for each change: with the old value, then with both.
        ///
        /// Both calls come after the store has changed, one right after the other, so a read in the first call returns the new
        /// value.
        case prior
    }

    /// A set of options.
    public typealias ObservationOptions = Set<ObservationOption>
}

extension Defaults {
    /// A key's value before and after a change, for the handler of ``observe(_:options:handler:)``.
    ///
    /// If a value is absent or cannot be used, it is the key's default.
    public struct KeyChange<Value> {
        /// The kind of a change.
        public enum Kind: Sendable, Hashable {
            /// The value was set or removed; the only kind, for code written for Defaults.
            case setting
        }

        /// The kind of the change.
        public let kind: Kind

        /// Whether this is the first of the two calls for one change with ``ObservationOption/prior``.
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

extension Defaults {
    /// Makes changes of which handlers registered with `observe` and publishers are not notified.
    ///
    /// With this, a handler can change the key that it observes without being called again:
    ///
    /// ```swift
    /// let defaults = Defaults(InMemoryStore())
    /// let limit = Defaults.Key<Int>("limit", default: 10)
    /// let observation = defaults.observe(limit) { change in
    ///     Defaults.withoutPropagation {
    ///         defaults[limit] = min(change.newValue, 100)
    ///     }
    /// }
    /// ```
    ///
    /// It applies to the changes that the closure itself makes, in any store, on its thread or task. Each of them is marked with
    /// ``PropertyListChange/isQuiet``, so it does not matter which thread delivers it. It does not apply to changes by other
    /// threads, by tasks that the closure starts, and by observers and problem handlers that its writes call.
    ///
    /// `updates(_:initial:buffering:)` and observers of the store itself receive all changes.
    ///
    /// - Parameter closure: Makes the changes.
    public static func withoutPropagation(_ closure: () throws -> Void) rethrows {
        try QuietScope.run(closure)
    }
}

/// The second name of the protocol in Defaults 9.
public typealias _DefaultsObservation = Defaults.Observation
