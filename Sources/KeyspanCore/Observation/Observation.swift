extension Defaults {
    /// The registration of a handler with ``observe(_:options:handler:)``.
    ///
    /// It ends when it is invalidated or released, whichever comes first, or with the object that it is tied to. Safe to use
    /// from any thread.
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
        /// The handler is not called after the object is gone, and the object is kept alive during a call, so the handler may
        /// hold it `unowned`. A handler that holds it strongly keeps it alive forever.
        ///
        /// The object is not changed and cannot tell that it goes. So a table holds the registration, and before each call of
        /// the handler it is asked whether the object still lives. What a registration holds is therefore released at the
        /// first change of its keys after the object is gone. If its keys do not change, that happens when the number of
        /// tied registrations has doubled since the table was last searched.
        ///
        /// A registration is tied to one object, the last one.
        @discardableResult
        func tieToLifetime(of weaklyHeldObject: AnyObject) -> Self

        /// Undoes ``tieToLifetime(of:)``; the registration then ends when it is invalidated or released.
        ///
        /// If the object is gone already, the registration has ended.
        func removeLifetimeTie()
    }
}

/// The name that Defaults has for the protocol of registrations.
public typealias _DefaultsObservation = Defaults.Observation
