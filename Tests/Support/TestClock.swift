package import Foundation
import KeyspanCore

/// A clock whose time passes only when a test says so.
package final class TestClock: Sendable {
    private let state: Locked<Date>

    package init(_ now: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        state = Locked(now)
    }

    package var now: Date { state.withLock(\.self) }

    package func advance(by seconds: Double) {
        state.withLock { $0 = $0.addingTimeInterval(seconds) }
    }
}
