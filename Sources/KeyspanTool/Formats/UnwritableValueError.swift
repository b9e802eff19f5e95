import Keyspan

/// A value that a format cannot hold: where it is, and why.
struct UnwritableValueError: Error, Equatable {
    /// Where inside the value that was to be written.
    let path: ValuePath
    /// Why, as a clause without a full stop.
    let reason: String
}

extension UnwritableValueError: CustomStringConvertible {
    var description: String {
        path.steps.isEmpty ? reason : "the value at \(path) cannot be written: \(reason)"
    }
}
