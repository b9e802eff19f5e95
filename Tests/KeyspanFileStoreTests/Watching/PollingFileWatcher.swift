import Foundation
import KeyspanFileStore

/// The system's watcher, which polls because it takes the folders of tests for a remote file system.
struct PollingFileWatcher: FileWatcher {
    private let base = SystemFileWatcher(
        mountTable: {
            let folder = FileManager.default.temporaryDirectory.path
            let device = (try? POSIXFileSystem().status(ofItemAt: folder))?.signature.device
            return MountTable(remoteTypes: device.map { [$0: "remote"] } ?? [:])
        },
        pollingInterval: .milliseconds(2)
    )

    /// Begins to poll a file; `onPolling` is not called, because polling is intended.
    func watch(
        _ target: WatchTarget,
        onAppend: @escaping @Sendable () -> EventResponse,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        base.watch(target, onAppend: onAppend, onPolling: { _ in }, onChange: onChange)
    }
}
