import Configuration
import KeyspanCore
import KeyspanTestSupport
import Testing

/// A provider whose values the test sets, which can refuse them, and which can end its watches.
final class ScriptedProvider: ConfigProvider {
    struct Refusal: Error, CustomStringConvertible {
        /// A careless provider has the value in its error.
        let description = "hunter2 is not convertible"
    }

    struct End: Error {}

    struct Snapshot: ConfigSnapshot {
        let providerName = "scripted"
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        var refused: Set<AbsoluteConfigKey> = []
        let lookups: Recorder<AbsoluteConfigKey>

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            lookups.record(key)
            if refused.contains(key) { throw Refusal() }
            let base = try InMemoryProvider(values: values).value(forKey: key, type: type)
            return LookupResult(encodedKey: "THE_" + key.components.joined(separator: "_"), value: base.value)
        }
    }

    private struct State {
        var snapshot: Snapshot
        var watchers: [AsyncStream<any ConfigSnapshot>.Continuation] = []
    }

    /// The lookups in all versions.
    let lookups: Recorder<AbsoluteConfigKey>
    private let state: Locked<State>
    private let endsWithError: Bool

    init(_ values: [AbsoluteConfigKey: ConfigValue], endsWithError: Bool = false) {
        self.endsWithError = endsWithError
        lookups = Recorder()
        state = Locked(State(snapshot: Snapshot(values: values, lookups: lookups)))
    }

    var providerName: String { "scripted" }

    /// Makes a new version.
    func change(_ change: (inout Snapshot) -> Void) {
        let (watchers, snapshot) = state.withLock { state in
            change(&state.snapshot)
            return (state.watchers, state.snapshot)
        }
        for watcher in watchers { watcher.yield(snapshot) }
    }

    /// Delivers a version that need not be the present one.
    func deliver(_ snapshot: any ConfigSnapshot) {
        for watcher in state.withLock(\.watchers) { watcher.yield(snapshot) }
    }

    /// Ends all watches.
    func end() {
        for watcher in state.withLock(\.watchers) { watcher.finish() }
    }

    var watchCount: Int { state.withLock(\.watchers.count) }

    /// Waits until a store watches.
    func awaitWatch() async throws { try await eventually("the store watches", watchCount, is: 1) }

    func snapshot() -> any ConfigSnapshot { state.withLock(\.snapshot) }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try snapshot().value(forKey: key, type: type)
    }

    func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    nonisolated(nonsending) func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey,
        type: ConfigType,
        updatesHandler:
            nonisolated(nonsending) (
                ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
            ) async throws -> Return
    ) async throws -> Return {
        try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
    }

    nonisolated(nonsending) func watchSnapshot<Return: ~Copyable>(
        updatesHandler:
            nonisolated(nonsending) (
                ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
            ) async throws -> Return
    ) async throws -> Return {
        let (stream, continuation) = AsyncStream<any ConfigSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let present = state.withLock { state in
            state.watchers.append(continuation)
            return state.snapshot
        }
        continuation.yield(present)
        let result = try await updatesHandler(ConfigUpdatesAsyncSequence(stream))
        if endsWithError { throw End() }
        return result
    }
}
