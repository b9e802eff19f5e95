import KeyspanFileStore

/// The ways to notice changes, which notice the same.
enum WatcherKind: CaseIterable {
    case system
    case polling

    var watcher: any FileWatcher {
        switch self {
        case .system: SystemFileWatcher.ofProcess
        case .polling: PollingFileWatcher()
        }
    }
}
