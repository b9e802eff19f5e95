internal import KeyspanCore

/// Begins the watches of another watcher in the background, and a moment later.
///
/// To watch a path takes several times longer than to read a small file, and a program that starts waits for the file alone. A
/// program that reads its settings and ends never watches them: Linux may take 40 ms to end a watch of a folder such as `/tmp`.
package struct BackgroundFileWatcher: FileWatcher {
    /// The watcher that all stores of the process share.
    package static let ofProcess = BackgroundFileWatcher(SystemFileWatcher.ofProcess)

    private let base: any FileWatcher
    private let delay: Duration

    private enum State {
        case waiting
        case watching(FileWatch)
        case ended
    }

    /// Makes a watcher.
    ///
    /// - Parameters:
    ///   - base: The watcher whose watches it begins.
    ///   - delay: How long after the request a watch begins. Changes until then are reported when it begins.
    package init(_ base: any FileWatcher, after delay: Duration = .milliseconds(50)) {
        self.base = base
        self.delay = delay
    }

    package func watch(
        _ target: WatchTarget,
        onAppend: @escaping @Sendable () -> EventResponse,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        let state = Shared(Locked(State.waiting))
        BlockingPool.ofProcess.run(after: delay) {
            guard case .waiting = state.value.withLock({ $0 }) else { return }
            let watch = base.watch(target, onAppend: onAppend, onPolling: onPolling, onChange: onChange)
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
