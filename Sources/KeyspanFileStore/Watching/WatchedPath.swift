internal import Dispatch
import KeyspanCore

/// A path that is followed and watched on behalf of one store.
///
/// On each event that may lead the path elsewhere it is followed anew. What was watched before stays so until the new way
/// is watched, and every item is watched before it is looked at: no change falls between the two.
///
/// Where the system cannot tell, the path is looked at again and again from then on.
final class WatchedPath: Sendable {
    private struct State {
        /// `nil` when the watch has ended.
        var onChange: (@Sendable () -> Void)?
        /// What happened since the queue last dealt with events.
        var events: ItemEvents = []
        var watches: [FileWatch] = []
        var look = PathLook()
        var isPolling = false

        var hasEnded: Bool { onChange == nil }
    }

    private let path: AbsolutePath
    private let companion: @Sendable (String) -> String
    private let fileSystem: any FileSystem
    private let pollingInterval: Duration
    private let state: Locked<State>
    /// A queue of its own, so that a store on a slow disk does not hold up another one.
    private let queue = DispatchQueue(label: "keyspan.watch.path", qos: .utility)

    /// Makes a path that is not watched yet.
    init(
        _ path: AbsolutePath,
        companion: @escaping @Sendable (String) -> String,
        fileSystem: any FileSystem,
        pollingInterval: Duration,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.path = path
        self.companion = companion
        self.fileSystem = fileSystem
        self.pollingInterval = pollingInterval
        state = Locked(State(onChange: onChange))
    }

    /// Ends the watch.
    func cancel() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        // What it holds is not to be released under the lock.
        _ = consume ended
    }

    private func tell() {
        state.withLock { $0.onChange }?()
    }

    /// Keeps what a look found, and the watches that were begun with it in place of the last ones.
    ///
    /// - Returns: Whether something new was found.
    private func keep(_ look: PathLook, _ watches: [FileWatch]) -> Bool {
        let (isNew, ended) = state.withLock { state in
            if state.hasEnded { return (false, watches) }
            defer { (state.look, state.watches) = (look, watches) }
            return (state.look != look, state.watches)
        }
        // They take a lock of their own when they end.
        _ = consume ended
        return isNew
    }
}

// MARK: Waiting for events

extension WatchedPath {
    /// What tells of events, and who is told when it cannot.
    struct EventSource: Sendable {
        let items: any ItemWatcher
        let mountTable: @Sendable () -> MountTable
        let onPolling: @Sendable (FileWatchError) -> Void
    }

    /// Begins to wait for events at the items on the way.
    func wait(for source: EventSource) {
        // An event may come before all items are watched: the queue deals with it after that.
        queue.sync { _ = follow(source) }
    }

    /// Follows the path and watches all that is on the way.
    ///
    /// - Returns: Whether it leads to something new.
    private func follow(_ source: EventSource) -> Bool {
        if state.withLock({ $0.isPolling || $0.hasEnded }) { return false }
        do throws(ItemWatchError) {
            var watches: [FileWatch] = []
            let look = try fileSystem.look(along: path, companion: companion) { item throws(ItemWatchError) in
                let watch = try source.items.watch(item) { [weak self] in self?.receive($0, from: source) }
                if let watch { watches.append(watch) }
            }
            if let obstacle = look.obstacle { throw ItemWatchError(obstacle) }
            // To ask for the mounted file systems costs more than all the rest.
            if look.devices != state.withLock({ $0.look.devices }),
                let type = source.mountTable().remoteType(among: look.devices)
            {
                throw .remote(type)
            }
            return keep(look, watches)
        } catch {
            if state.withLock({ $0.hasEnded }) { return false }
            poll()
            source.onPolling(FileWatchError(path: path.text, interval: pollingInterval, error))
            return true
        }
    }

    /// Takes note of events; what comes until the queue deals with them is dealt with at once.
    private func receive(_ events: ItemEvents, from source: EventSource) {
        let isFirst = state.withLock { state in
            defer { state.events.formUnion(events) }
            return state.events.isEmpty
        }
        guard isFirst else { return }
        queue.async { [weak self] in self?.handleEvents(from: source) }
    }

    private func handleEvents(from source: EventSource) {
        let events = state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        let leadsElsewhere = events.contains(.moved) && follow(source)
        if leadsElsewhere || events.contains(.changed) { tell() }
    }
}

// MARK: Polling

extension WatchedPath {
    /// Begins to look at the path again and again.
    func poll() {
        state.withLock { $0.isPolling = true }
        _ = look()
        scheduleLook(mayHaveMissed: true)
    }

    private func look() -> Bool {
        keep(fileSystem.look(along: path, companion: companion) { (_) throws(Never) in }, [])
    }

    /// - Parameter mayHaveMissed: Whether a change may have followed the last look unseen, because two writes within one
    ///   tick of the file system's clock can look alike. The tick is over at the next look.
    private func scheduleLook(mayHaveMissed: Bool) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(pollingInterval.wholeNanoseconds)) { [weak self] in
            guard let self, !state.withLock({ $0.hasEnded }) else { return }
            let isNew = look()
            if isNew || mayHaveMissed { tell() }
            scheduleLook(mayHaveMissed: isNew)
        }
    }
}
