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
/// The instance is made for the first item. Nothing runs while nothing happens.
final class InotifyItemWatcher: ItemWatcher {
    fileprivate struct Listener {
        let item: WatchedItem
        let onEvents: @Sendable (ItemEvents) -> Void
    }

    fileprivate struct State {
        var instance: InotifyInstance?
        /// Who listens to a watch, by its number and one that is not used twice.
        var listeners: [Int32: [UInt64: Listener]] = [:]
        var lastNumber: UInt64 = 0
    }

    /// Whose the instance is: a child that `fork(2)` made shares it, and would end the watches of its parent.
    private let process = getpid()
    private let calls: any InotifyCalls
    private let state = Locked(State())

    init(calls: any InotifyCalls) {
        self.calls = calls
    }

    func watch(
        _ item: WatchedItem,
        onEvents: @escaping @Sendable (ItemEvents) -> Void
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
        try state.withLock { (state) throws(SystemCallError) in
            let path = listener.item.path
            let instance = if let present = state.instance { present } else { try makeInstance(for: path) }
            state.instance = instance
            let watch = try calls.addWatch(path, mask: listener.item.inotifyMask, to: instance.descriptor)
            state.lastNumber += 1
            state.listeners[watch, default: [:]][state.lastNumber] = listener
            return (watch, state.lastNumber)
        }
    }

    private func makeInstance(for path: String) throws(SystemCallError) -> InotifyInstance {
        InotifyInstance(descriptor: try calls.makeInstance(for: path)) { [weak self] in self?.deliver($0) }
    }

    private func remove(_ number: UInt64, from watch: Int32) {
        guard getpid() == process else { return }
        let removed = state.withLock { state in
            let removed = state.listeners[watch]?.removeValue(forKey: number)
            if state.listeners[watch]?.isEmpty == true, let instance = state.instance {
                state.listeners[watch] = nil
                calls.removeWatch(watch, from: instance.descriptor)
            }
            return removed
        }
        // What it holds is not to be released under the lock.
        _ = consume removed
    }

    private func deliver(_ events: [InotifyEvent]) {
        for (listener, events) in state.withLock({ $0.recipients(of: events) }) {
            listener.onEvents(events)
        }
    }
}

extension InotifyItemWatcher.State {
    /// Who is to be told what, once each; watches that have ended are forgotten.
    fileprivate mutating func recipients(of events: [InotifyEvent]) -> [(InotifyItemWatcher.Listener, ItemEvents)] {
        var recipients: [UInt64: (InotifyItemWatcher.Listener, ItemEvents)] = [:]
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
}
#endif
