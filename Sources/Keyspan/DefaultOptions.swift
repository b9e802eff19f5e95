/// How a ``Default`` keeps its value between reads.
///
/// Without an option each read asks the store, which decodes nothing that did not change.
public struct DefaultOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The first value that is read stays until it is set through the same property, whatever others write.
    ///
    /// For a setting that takes effect at the next start. A property on the standard store keeps a value for each store that it
    /// meets: one for the store of the process, and one for that of each operation with a store of its own, such as an isolated
    /// test.
    public static let cached = DefaultOptions(rawValue: 1 << 0)

    /// A value that is kept follows the changes of the store.
    ///
    /// With ``cached`` it is replaced when a change is delivered; alone it changes nothing, because each read is current.
    public static let observed = DefaultOptions(rawValue: 1 << 1)
}
