/// Has the system tell of items, each for itself: what inotify(7) and kqueue(2) have in common.
protocol ItemWatcher: Sendable {
    /// Begins to watch an item. All that happens to it after this returned is told.
    ///
    /// An item that is gone is not an error: who watches the folder above it is told that.
    ///
    /// - Parameters:
    ///   - item: What is watched.
    ///   - onEvents: Called on the watcher's own thread, without a lock. It should return soon.
    /// - Returns: The watch, which ends when it is released.
    /// - Throws: ``ItemWatchError`` if the system cannot tell of the item.
    func watch(
        _ item: WatchedItem,
        onEvents: @escaping @Sendable (ItemEvents) -> Void
    ) throws(ItemWatchError) -> FileWatch?
}
