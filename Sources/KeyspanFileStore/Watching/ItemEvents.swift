/// What happened at a ``WatchedItem``.
struct ItemEvents: OptionSet, Sendable {
    let rawValue: UInt8

    /// The file, its companion or what their names lead to is another one.
    static let changed = ItemEvents(rawValue: 1)
    /// The path may lead elsewhere now, so that other items count.
    static let moved = ItemEvents(rawValue: 2)
}
