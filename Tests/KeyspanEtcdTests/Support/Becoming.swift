import Foundation

/// Blocks the thread until a condition holds that a cluster brings about.
///
/// - Returns: Whether it came to hold within the time.
func becomes(within patience: Duration = .seconds(60), _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + patience
    while try !condition() {
        guard ContinuousClock.now < deadline else { return false }
        usleep(1000)
    }
    return true
}
