import KeyspanCore

/// An object at the Foundation border that is no property-list value: what it is, and where.
struct ForeignValue: Error {
    /// The way to it from the object that was to cross the border.
    let path: ValuePath
    /// Its type, as Swift code writes it.
    let type: String
}

extension ForeignValue: CustomStringConvertible {
    /// What is wrong, as a clause without a full stop.
    var description: String {
        path.steps.isEmpty
            ? "the value is of the type \(type), which is no property list"
            : "the value has a \(type) at \(path), which is no property list"
    }
}
