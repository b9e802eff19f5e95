import KeyspanCore

/// A file or folder whose path is resolved and watched on behalf of one store.
///
/// Each event that may lead the path elsewhere makes it resolve the path again. The old watches last until the new ones have
/// begun, and every item is watched before it is inspected, so no change falls between the two.
///
/// Once the system cannot report changes, the path is polled from then on.
final class WatchedPath: Sendable {
    private struct State {
        /// `nil` when the watch has ended.
        var onChange: (@Sendable () -> Void)?
        var onAppend: (@Sendable () -> EventResponse)?
        /// The events since the queue last handled any.
        var events: ItemEvents = []
        var watches: [FileWatch] = []
        var look = PathLook()
        var isPolling = false

        var hasEnded: Bool { onChange == nil }
    }

    private let target: WatchTarget
    private let fileSystem: any FileSystem
    private let pollingInterval: Duration
    private let state: Locked<State>
    /// A queue of its own, so that a store on a slow disk does not hold up another one.
    private let queue = BlockingQueue()

    /// Makes a path that is not watched yet.
    init(
        _ target: WatchTarget,
        fileSystem: any FileSystem,
        pollingInterval: Duration,
        onAppend: @escaping @Sendable () -> EventResponse,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.target = target
        self.fileSystem = fileSystem
        self.pollingInterval = pollingInterval
        state = Locked(State(onChange: onChange, onAppend: onAppend))
    }

    /// Ends the watch.
    func cancel() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        // Releasing the closures and watches under the lock could call out.
        _ = consume ended
    }

    private func notify() {
        state.withLock { $0.onChange }?()
    }

    /// Stores a look and the watches that began with it, in place of the last ones.
    ///
    /// - Returns: Whether the look differs from the last one.
    private func keep(_ look: PathLook, _ watches: [FileWatch]) -> Bool {
        let (isNew, ended) = state.withLock { state in
            if state.hasEnded { return (false, watches) }
            defer { (state.look, state.watches) = (look, watches) }
            return (state.look != look, state.watches)
        }
        // Watches take a lock of their own when they end.
        _ = consume ended
        return isNew
    }
}

// MARK: Waiting for events

extension WatchedPath {
    /// The source of events, and the handler for the error when it fails.
    struct EventSource: Sendable {
        let items: any ItemWatcher
        let mountTable: @Sendable () -> MountTable
        let onPolling: @Sendable (FileWatchError) -> Void
    }

    /// Begins to wait for events at the items on the way.
    func wait(for source: EventSource) {
        // An event may come before all items are watched: the queue handles it after that.
        queue.runFirst { _ = follow(source) }
    }

    /// Resolves the path and watches all items on the way.
    ///
    /// - Returns: Whether it leads to something new.
    private func follow(_ source: EventSource) -> Bool {
        if state.withLock({ $0.isPolling || $0.hasEnded }) { return false }
        do throws(ItemWatchError) {
            var watches: [FileWatch] = []
            let look = try fileSystem.look(at: target) { item throws(ItemWatchError) in
                let watch = try source.items.watch(item) { [weak self] in
                    self?.receive($0, from: source) ?? EventResponse()
                }
                if let watch { watches.append(watch) }
            }
            if let obstacle = look.obstacle { throw ItemWatchError(obstacle) }
            // Asking for the mounted file systems costs more than all the rest.
            if look.devices != state.withLock({ $0.look.devices }),
                let type = source.mountTable().remoteType(among: look.devices)
            {
                throw .remote(type)
            }
            return keep(look, watches)
        } catch {
            if state.withLock({ $0.hasEnded }) { return false }
            poll()
            source.onPolling(FileWatchError(path: target.path.text, interval: pollingInterval, error))
            return true
        }
    }

    /// Handles events: writes to the companion at once, and others on the queue, together with all that gather until its turn.
    ///
    private func receive(_ events: ItemEvents, from source: EventSource) -> EventResponse {
        if events == .appended { return state.withLock { $0.onAppend }?() ?? EventResponse() }
        let isFirst = state.withLock { state in
            defer { state.events.formUnion(events) }
            return state.events.isEmpty
        }
        if isFirst { queue.run { [weak self] in self?.handleEvents(from: source) } }
        return EventResponse()
    }

    private func handleEvents(from source: EventSource) {
        let events = state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        let leadsElsewhere = events.contains(.moved) && follow(source)
        if leadsElsewhere || !events.isDisjoint(with: [.changed, .appended]) { notify() }
    }
}

// MARK: Polling

extension WatchedPath {
    /// Begins to poll the path.
    func poll() {
        state.withLock { $0.isPolling = true }
        _ = look()
        scheduleLook(mayHaveMissed: true)
    }

    private func look() -> Bool {
        keep(fileSystem.look(at: target) { (_) throws(Never) in }, [])
    }

    /// Schedules the next poll.
    ///
    /// - Parameter mayHaveMissed: Whether the last look may have missed a change, because two writes within one tick of the file
    ///   system's clock can look alike. The tick is over at the next look.
    private func scheduleLook(mayHaveMissed: Bool) {
        queue.run(after: pollingInterval) { [weak self] in
            guard let self, !state.withLock({ $0.hasEnded }) else { return }
            let isNew = look()
            if isNew || mayHaveMissed { notify() }
            scheduleLook(mayHaveMissed: isNew)
        }
    }
}
