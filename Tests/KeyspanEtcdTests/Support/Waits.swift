import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import Testing

/// A call on a thread of its own, which a test can let wait.
final class BackgroundCall<Value: Sendable>: Sendable {
    private let outcome = Locked<Result<Value, any Error>?>(nil)
    private let done = Gate()

    init(_ body: @escaping @Sendable () throws -> Value) {
        DispatchQueue(label: "keyspan.test").async { [self] in
            let result = Result { try body() }
            outcome.withLock { $0 = result }
            done.open()
        }
    }

    /// Whether the call has returned.
    var isDone: Bool { outcome.withLock { $0 != nil } }

    /// Blocks the thread until the call has returned.
    func result() throws -> Value {
        guard done.pass() else { throw Hang() }
        done.open()
        guard let outcome = outcome.withLock({ $0 }) else { throw Hang() }
        return try outcome.get()
    }

    /// The call has not returned.
    struct Hang: Error {}
}

/// Expects that a call throws a store's error with a code.
@discardableResult
func expectError<Result>(
    _ code: StoreError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) -> StoreError? {
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try body() }
    if let error { #expect(error.code == code, sourceLocation: sourceLocation) }
    return error
}

extension PropertyListStore {
    /// Blocks the thread until readers see a value.
    func waitFor(
        _ value: PropertyListValue?,
        forKey key: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let what = "\(name) has \(value.map { "\($0)" } ?? "no value") for \(key)"
        eventually(what, self.value(forKey: key), sourceLocation: sourceLocation) { $0 == value }
    }

    /// Blocks the thread until the writes that wait are in the cluster.
    func waitUntilSynchronized(sourceLocation: SourceLocation = #_sourceLocation) {
        eventually("\(name) has sent its writes", within: .seconds(120), sourceLocation: sourceLocation) {
            (try? synchronize()) != nil
        }
    }
}

extension TestCluster {
    /// Opens a store whose calls take long only if they fail.
    func open(
        prefix: String = "greeter/",
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        options.timeout = .seconds(60)
        configure(&options)
        return try EtcdStore(endpoints: endpoints, prefix: prefix, options: options)
    }
}

extension EtcdStore {
    /// Blocks the thread until the store watches a member, and returns its address.
    func waitForMember(sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        eventually("\(name) watches a member", status.endpoint, sourceLocation: sourceLocation) { $0 != nil }
        return try #require(status.endpoint, sourceLocation: sourceLocation)
    }
}

/// The keys of each change that an observer of a store is notified of, sorted.
final class ChangedKeys: Sendable {
    private let changes = Recorder<[String]>()
    private let observation: StoreObservation

    init(of store: any PropertyListStore) {
        observation = store.observe(.all, initial: false) { [changes] change in
            changes.record(change.entries.map(\.key).sorted())
        }
    }

    deinit {
        observation.cancel()
    }

    /// Blocks the thread until these changes have come, and no others.
    func waitFor(_ expected: [[String]], sourceLocation: SourceLocation = #_sourceLocation) {
        eventually("the changes are \(expected)", changes.values, sourceLocation: sourceLocation) { $0 == expected }
    }
}
