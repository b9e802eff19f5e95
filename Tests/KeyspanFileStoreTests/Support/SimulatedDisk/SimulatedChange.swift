/// A change to one file or folder, which processes see at once and the disk keeps when that is flushed.
struct SimulatedChange {
    /// The changed object.
    enum Effect {
        case write([UInt8], offset: Int)
        case truncate(size: Int)
        case permissions(UInt32)
        case owner(UInt32?, group: UInt32?)
        case modified(Int64)
        /// Names of a folder in one step, each with the file that it leads to from now on, or with none.
        case names([String: SimulatedNode.ID?])
    }

    /// The changed object, whose flush makes the change durable.
    let node: SimulatedNode.ID
    let effect: Effect
    let time: Int64

    /// Whether `fdatasync(2)` makes it durable; attributes wait for `fsync(2)`.
    var isOfContents: Bool {
        switch effect {
        case .write, .truncate, .names: true
        case .permissions, .owner, .modified: false
        }
    }

    /// The names that are changed; `nil` unless the change is one of names.
    var names: [String: SimulatedNode.ID?]? {
        if case .names(let names) = effect { names } else { nil }
    }
}
