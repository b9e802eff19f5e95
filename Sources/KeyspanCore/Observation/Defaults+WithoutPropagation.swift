extension Defaults {
    /// Makes changes that the observers registered with ``observe(_:options:handler:)`` and its like do not hear.
    ///
    /// This is how an observer changes the key that it observes without hearing of that:
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
    /// It concerns the changes that the closure itself makes, in whatever store, from the thread or task that runs it. Each
    /// of them carries the mark with it (``PropertyListChange/isQuiet``), so it does not matter which thread tells the
    /// observers. What other threads change meanwhile is heard, and so is what the closure has done by tasks that it starts,
    /// and what is changed by observers and handlers of problems that its writes call.
    ///
    /// `updates(_:initial:)` and observers of the store itself hear all changes.
    ///
    /// - Parameter closure: Makes the changes.
    public static func withoutPropagation(_ closure: () throws -> Void) rethrows {
        try QuietScope.run(closure)
    }
}
