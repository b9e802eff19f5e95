extension Defaults {
    /// When an observer registered with ``observe(_:options:handler:)`` is called apart from after each change.
    public enum ObservationOption: Sendable {
        /// Once at the beginning, with the present value, before the registration returns.
        case initial

        /// Twice for each change: with the old value, then with both.
        ///
        /// Both calls come after the store has changed, one right after the other. A store tells of changes that have
        /// happened, so a read in the first call gives the new value.
        case prior
    }

    /// A choice of options.
    public typealias ObservationOptions = Set<ObservationOption>
}
