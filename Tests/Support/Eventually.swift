import Foundation
import KeyspanTesting
package import Testing

/// Waits until a value meets a condition that another thread or process brings about, and records an issue if it does not.
///
/// - Parameters:
///   - what: The awaited state, as a sentence: "the store reads the new port".
///   - value: The value. A failure shows the last one.
///   - limit: The time after which the wait fails: long enough for a loaded machine, since only a failure takes it.
///   - condition: Whether this is the value that is awaited.
package func eventually<Value>(
    _ what: String,
    _ value: @autoclosure () throws -> Value,
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (Value) throws -> Bool
) async throws {
    var patience = Patience(limit)
    while true {
        let found = try patience.look(value)
        if try condition(found) { return }
        guard !patience.isOver else { return recordWait(what, limit, "\(found)", sourceLocation) }
        try await Task.sleep(for: patience.pause)
    }
}

/// Waits until a value equals another one.
package func eventually<Value: Equatable>(
    _ what: String,
    _ value: @autoclosure () throws -> Value,
    is expected: Value,
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await eventually(what, try value(), within: limit, sourceLocation: sourceLocation) { $0 == expected }
}

/// Waits for a condition whose parts need not be shown.
package func eventually(
    _ what: String,
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async throws {
    try await eventually(what, try condition(), within: limit, sourceLocation: sourceLocation) { $0 }
}

/// Blocks the thread, which is not one of the cooperative pool, until a value meets a condition.
@available(*, noasync)
package func eventually<Value>(
    _ what: String,
    _ value: @autoclosure () throws -> Value,
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (Value) throws -> Bool
) rethrows {
    var patience = Patience(limit)
    while true {
        let found = try patience.look(value)
        if try condition(found) { return }
        guard !patience.isOver else { return recordWait(what, limit, "\(found)", sourceLocation) }
        usleep(UInt32(patience.pause / .microseconds(1)))
    }
}

/// Blocks the thread, which is not one of the cooperative pool, until a condition holds.
@available(*, noasync)
package func eventually(
    _ what: String,
    within limit: Duration = .seconds(60),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) rethrows {
    try eventually(what, try condition(), within: limit, sourceLocation: sourceLocation) { $0 }
}

private func recordWait(_ what: String, _ limit: Duration, _ found: String, _ sourceLocation: SourceLocation) {
    Issue.record("waited \(limit) until \(what); found: \(found)", sourceLocation: sourceLocation)
}
