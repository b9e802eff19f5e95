/// Whom the lock of a file keeps out.
package enum FileLockMode: Sendable {
    /// Those who write: for readers of a file that is in several parts.
    case shared
    /// Everybody: for writers.
    case exclusive
}
