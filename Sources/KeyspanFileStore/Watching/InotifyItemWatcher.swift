internal import Dispatch
import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if !canImport(Darwin)
/// Watches items with one inotify(7) instance, whose watches the items of the same folder share.
///
/// The first item creates the instance. Without events, no code runs.
///
/// A watch begins and ends without the lock, because the system looks the path up on its disk, which may not answer. So an event may come
/// before its listener is there, which receives it as soon as the number of the watch is known.
final class InotifyItemWatcher: ItemWatcher {
    fileprivate struct Listener {
        let item: WatchedItem
        let onEvents: @Sendable (ItemEvents) -> EventResponse
    }

    /// A call that begins a watch, whose number is not known yet.
    fileprivate struct Beginning {
        let item: WatchedItem
        /// The events for the item, if the watch is the one with that number.
        var events: [Int32: ItemEvents] = [:]
    }

    fileprivate struct State {
        var instance: InotifyInstance?
        /// The listeners of each watch, by the watch's number and a number that is never reused.
        var listeners: [Int32: [UInt64: Listener]] = [:]
        var lastNumber: UInt64 = 0
        /// The calls that have not returned yet, by the numbers of the future listeners.
        var beginning: [UInt64: Beginning] = [:]
    }

    /// The process that owns the instance: a child made by `fork(2)` shares it, and would end the watches of its parent.
    private let process = getpid()
    private let calls: any InotifyCalls
    private let state = Locked(State())

    init(calls: any InotifyCalls) {
        self.calls = calls
    }

    func watch(
        _ item: WatchedItem,
        onEvents: @escaping @Sendable (ItemEvents) -> EventResponse
    ) throws(ItemWatchError) -> FileWatch? {
        do {
            let (watch, number) = try add(Listener(item: item, onEvents: onEvents))
            return FileWatch { self.remove(number, from: watch) }
        } catch let error where item.canDoWithout(error) {
            return nil
        } catch {
            throw ItemWatchError(error)
        }
    }

    private func add(_ listener: Listener) throws(SystemCallError) -> (watch: Int32, number: UInt64) {
        let path = listener.item.path
        let (instance, number) = try begin(listener.item)
        let watch: Int32
        do {
            watch = try calls.addWatch(path, mask: listener.item.inotifyMask, to: instance.descriptor)
        } catch {
            state.withLock { _ = $0.beginning.removeValue(forKey: number) }
            throw error
        }
        let missed = state.withLock { state in
            state.listeners[watch, default: [:]][number] = listener
            let events = state.beginning.removeValue(forKey: number)?.events ?? [:]
            return (events[watch] ?? []).union(events[InotifyEvent.watchOfOverflow] ?? [])
        }
        if !missed.isEmpty { listener.onEvents(missed).lookElsewhere() }
        return (watch, number)
    }

    /// Notes that a watch is about to begin, and makes the instance for the first one.
    private func begin(_ item: WatchedItem) throws(SystemCallError) -> (instance: InotifyInstance, number: UInt64) {
        try state.withLock { (state) throws(SystemCallError) in
            let instance = if let present = state.instance { present } else { try makeInstance(for: item.path) }
            state.instance = instance
            state.lastNumber += 1
            state.beginning[state.lastNumber] = InotifyItemWatcher.Beginning(item: item)
            return (instance, state.lastNumber)
        }
    }

    private func makeInstance(for path: String) throws(SystemCallError) -> InotifyInstance {
        let descriptor = try calls.makeInstance(for: path)
        let instance = InotifyInstance(descriptor: descriptor) { [weak self] in self?.deliver($0) ?? [] }
        guard let instance else { throw SystemCallError(.inotifyInit, path, errno) }
        return instance
    }

    private func remove(_ number: UInt64, from watch: Int32) {
        guard getpid() == process else { return }
        let (removed, ended) = state.withLock { state in
            let removed = state.listeners[watch]?.removeValue(forKey: number)
            guard state.listeners[watch]?.isEmpty == true else { return (removed, nil as InotifyInstance?) }
            state.listeners[watch] = nil
            return (removed, state.instance)
        }
        // A listener that has come meanwhile receives the end of its watch as an event, and begins another one.
        if let ended { calls.removeWatch(watch, from: ended.descriptor) }
        // Releasing the closure under the lock could call out.
        _ = consume removed
    }

    /// Passes events on, and returns the responses.
    private func deliver(_ events: [InotifyEvent]) -> [EventResponse] {
        let (recipients, hasOneFile) = state.withLock { ($0.recipients(of: events), $0.hasOneFile) }
        return recipients.map { listener, events in
            let response = listener.onEvents(events)
            if !response.isResting || hasOneFile { return response }
            // A file that is written all the time must not delay the events of others.
            response.lookElsewhere()
            return EventResponse()
        }
    }
}

extension InotifyItemWatcher.State {
    /// Whether all watched items are on the way to one file.
    fileprivate var hasOneFile: Bool {
        var count = 0
        for listener in listeners.values.joined() {
            if case .file = listener.value.item { count += 1 }
        }
        return count == 1
    }

    /// The listeners to notify, each once with all its events; forgets watches that have ended.
    fileprivate mutating func recipients(of events: [InotifyEvent]) -> [(InotifyItemWatcher.Listener, ItemEvents)] {
        var recipients: [UInt64: (InotifyItemWatcher.Listener, ItemEvents)] = [:]
        for number in beginning.keys { note(events, forListener: number) }
        for event in events {
            let watches = event.isOverflow ? Array(listeners.values) : listeners[event.watch].map { [$0] } ?? []
            for (number, listener) in watches.joined() {
                let itemEvents = listener.item.events(of: event)
                if itemEvents.isEmpty { continue }
                recipients[number, default: (listener, [])].1.formUnion(itemEvents)
            }
            if event.isEnd { listeners[event.watch] = nil }
        }
        return Array(recipients.values)
    }

    /// The most watches that are noted one by one while a disk does not let a call return.
    private static var mostWatches: Int { 1000 }

    /// Notes events that come before their listener.
    private mutating func note(_ events: [InotifyEvent], forListener number: UInt64) {
        guard var beginning = beginning[number] else { return }
        for event in events {
            // The end of another listener may have ended the watch.
            let itemEvents = event.isEnd ? [.moved, .changed] : beginning.item.events(of: event)
            if itemEvents.isEmpty { continue }
            beginning.events[event.watch, default: []].formUnion(itemEvents)
        }
        if beginning.events.count > Self.mostWatches {
            beginning.events = [InotifyEvent.watchOfOverflow: [.moved, .changed]]
        }
        self.beginning[number] = beginning
    }
}

extension WatchedItem {
    /// The events to request from inotify(7).
    ///
    /// A watch adds to the events of other watches at the same folder, and does not follow a link that took its place.
    var inotifyMask: UInt32 {
        let events =
            switch self {
            case .name, .items: UInt32(IN_ONLYDIR) | Self.renaming
            // Permissions matter because an unreadable file may have become readable.
            case .file: UInt32(IN_ONLYDIR) | Self.renaming | Self.writing | UInt32(IN_ATTRIB)
            case .contents: Self.writing
            }
        return events | UInt32(IN_MASK_ADD) | UInt32(IN_DONT_FOLLOW)
    }

    /// The meaning of an event at the watched folder or file for the item; empty for an event about another name.
    func events(of event: InotifyEvent) -> ItemEvents {
        if event.isOverflow || event.mask & UInt32(IN_UNMOUNT) != 0 { return [.moved, .changed] }
        switch self {
        case .name(let name, _):
            if event.isEnd { return [.moved, .changed] }
            return event.isOf(name) && event.mask & Self.renaming != 0 ? [.moved, .changed] : []
        case .file(let name, let companion, _):
            if event.isEnd { return [.moved, .changed] }
            if event.isOf(name) { return event.mask & Self.renaming != 0 ? [.moved, .changed] : .changed }
            guard let companion, event.isOf(companion) else { return [] }
            if event.mask & Self.renaming != 0 { return .changed }
            // Locking opens the companion for writing without a change.
            return event.mask & UInt32(IN_MODIFY) != 0 ? .appended : []
        case .items:
            return event.isEnd || event.mask & Self.renaming != 0 ? [.moved, .changed] : []
        case .contents:
            // The watch of its name reports that the file is gone.
            return event.mask & Self.writing != 0 ? .changed : []
        }
    }

    /// Whether no change is missed if the item cannot be watched because of an error.
    ///
    /// A missing item has left an event at the folder above. A file that cannot be read cannot be watched, but the watch of its
    /// name reports writes to it.
    func canDoWithout(_ error: SystemCallError) -> Bool {
        switch error.errorNumber {
        case ENOENT, ENOTDIR, ELOOP: true
        case EACCES: if case .contents = self { true } else { false }
        default: false
        }
    }

    private static let renaming = UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
    /// Closing is included because writes to a mapping of the file cause no events.
    private static let writing = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)
}
#endif
