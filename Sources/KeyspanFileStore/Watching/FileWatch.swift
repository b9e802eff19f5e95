import KeyspanCore

/// A file that is being watched, until this is cancelled or released.
package final class FileWatch: Sendable {
    private let end: Locked<(@Sendable () -> Void)?>

    /// Makes a watch.
    ///
    /// - Parameter end: Called once, when the watch ends.
    package init(_ end: @escaping @Sendable () -> Void) {
        self.end = Locked(end)
    }

    deinit {
        cancel()
    }

    /// Ends the watch.
    ///
    /// No call begins after this; one that has begun may still be running.
    package func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
