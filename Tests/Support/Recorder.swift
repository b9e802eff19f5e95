import KeyspanCore

/// The values that handlers, observers and other closures received, in order.
package final class Recorder<Value: Sendable>: Sendable {
    private let state = Locked<[Value]>([])

    package init() {}

    package var values: [Value] { state.withLock(\.self) }

    package var count: Int { state.withLock(\.count) }

    package var last: Value? { state.withLock(\.last) }

    package func record(_ value: Value) {
        state.withLock { $0.append(value) }
    }

    /// Records a value, as a function that can be passed on.
    package func callAsFunction(_ value: Value) {
        record(value)
    }
}
