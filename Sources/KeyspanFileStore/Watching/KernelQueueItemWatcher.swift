#if canImport(Darwin)
internal import Darwin
internal import Dispatch
import KeyspanCore

/// Watches items with kqueue(2), through Dispatch.
///
/// Events at a folder say only that some name in it came or went, and events at a file only concern the file itself. Each item
/// stays open, for events alone, as long as it is watched.
final class KernelQueueItemWatcher: ItemWatcher {
    private let queue = DispatchQueue(label: "keyspan.watch", qos: .utility)

    func watch(
        _ item: WatchedItem,
        onEvents: @escaping @Sendable (ItemEvents) -> EventResponse
    ) throws(ItemWatchError) -> FileWatch? {
        switch item {
        case .name(_, let folder):
            return try watch(folder) { _ in onEvents(.moved).lookElsewhere() }
        case .items(let folder):
            return try watch(folder) { _ in onEvents([.moved, .changed]).lookElsewhere() }
        case .contents(let path):
            return try watch(path) { onEvents($0.itemEvents).lookElsewhere() }
        case .file(_, let companion, let folder):
            let names = try watch(folder) { _ in onEvents(.moved).lookElsewhere() }
            guard let companion else { return names }
            // Writes to the companion cause no events at the folder.
            let path = AbsolutePath(companion, relativeTo: folder).text
            let contents = try watch(path) { event in
                onEvents(event == .write ? .appended : event.itemEvents).lookElsewhere()
            }
            return FileWatch {
                names?.cancel()
                contents?.cancel()
            }
        }
    }

    private func watch(
        _ path: String,
        onEvent: @escaping @Sendable (DispatchSource.FileSystemEvent) -> Void
    ) throws(ItemWatchError) -> FileWatch? {
        let descriptor = open(path, O_EVTONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 {
            // The folder above reports an item that is gone, or a link by now.
            if errno == ENOENT || errno == ENOTDIR || errno == ELOOP { return nil }
            throw ItemWatchError(SystemCallError(.open, path, errno))
        }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor,
            eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke],
            queue: queue
        )
        source.setEventHandler { onEvent(source.data) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        let activeSource = Locked(source)
        return FileWatch { activeSource.withLock { $0.cancel() } }
    }
}

extension DispatchSource.FileSystemEvent {
    /// The meaning of an event at a file; after some events the name leads to another file.
    fileprivate var itemEvents: ItemEvents {
        isDisjoint(with: [.delete, .rename, .revoke]) ? .changed : [.moved, .changed]
    }
}
#endif
