extension Defaults {
    /// Why the standard store could not be chosen.
    public enum BootstrapError: Error, Sendable, Hashable {
        /// It was chosen before.
        case alreadyBootstrapped
        /// It was used before, so that values may have been read from another store.
        case alreadyInUse
    }
}

extension Defaults.BootstrapError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        switch self {
        case .alreadyBootstrapped:
            "The standard store was chosen before; call Defaults.bootstrap(_:) once, at the start of the program."
        case .alreadyInUse:
            "The standard store was used before it was chosen; call Defaults.bootstrap(_:) before any key is read."
        }
    }
}
