internal import Dispatch
internal import KeyspanCore

/// Begins the watches of another watcher in the background.
///
/// To watch a path takes several times longer than to read a small file, and a program that starts waits for the file alone. A store
/// that is released at once is never watched.
package struct BackgroundFileWatcher: FileWatcher {
    /// The watcher that all stores of the process share.
    package static let ofProcess = BackgroundFileWatcher(SystemFileWatcher.ofProcess)

    private let base: any FileWatcher

    /// One after the other, because a watcher takes a lock for each.
    private let queue = DispatchQueue(label: "keyspan.watch.begin", qos: .utility)

    private enum State {
        case waiting
        case watching(FileWatch)
        case ended
    }

    /// Makes a watcher.
    ///
    /// - Parameter base: The watcher whose watches it begins.
    package init(_ base: any FileWatcher) {
        self.base = base
    }

    package func watch(
        _ path: AbsolutePath,
        companion: @escaping @Sendable (String) -> String,
        isKnown: @escaping @Sendable () -> Bool,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        let state = Shared(Locked(State.waiting))
        queue.async {
            guard case .waiting = state.value.withLock({ $0 }) else { return }
            let watch = base.watch(
                path,
                companion: companion,
                isKnown: isKnown,
                onPolling: onPolling,
                onChange: onChange
            )
            let isWanted = state.value.withLock { state in
                guard case .waiting = state else { return false }
                state = .watching(watch)
                return true
            }
            // A change before the watch had begun was not reported.
            if isWanted { onChange() } else { watch.cancel() }
        }
        return FileWatch {
            let ended = state.value.withLock { state in
                defer { state = .ended }
                return state
            }
            if case .watching(let watch) = ended { watch.cancel() }
        }
    }

    /// A lock that closures share.
    private final class Shared: Sendable {
        let value: Locked<State>

        init(_ value: consuming Locked<State>) {
            self.value = value
        }
    }
}
