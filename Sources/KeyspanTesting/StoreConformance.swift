public import KeyspanCore
public import Testing

/// One of the checks that tell whether a store keeps the six promises of `PropertyListStore`.
///
/// Run all of them on a store of yours with one parameterised test:
///
/// ```swift
/// @Test(arguments: StoreConformance.all)
/// func `My store keeps the promises of a store`(_ check: StoreConformance) async throws {
///     try await check.verify { MyStore() }
/// }
/// ```
///
/// Each check makes stores of its own, so that all can run at the same time. A failure is recorded as an issue at the
/// line that called ``verify(makeStore:reopen:patience:sourceLocation:)``.
///
/// What no test can decide by right or wrong, that a read does no I/O and that a held snapshot leaves writes fast, is for
/// a benchmark of the store.
public struct StoreConformance: Sendable {
    /// The number of the promise in the documentation of `PropertyListStore`.
    public let promise: Int

    /// What is checked, as a sentence.
    public let name: String

    private let check: @Sendable (StoreUnderTest) async throws -> Void

    init(
        promise: Int,
        _ name: String,
        _ check: @escaping @Sendable (StoreUnderTest) async throws -> Void
    ) {
        self.promise = promise
        self.name = name
        self.check = check
    }

    /// All checks, in the order of the promises.
    public static let all: [StoreConformance] =
        reads + texts + batches + snapshots + observation + delivery + durability + refusal + revisions

    /// Runs the check.
    ///
    /// - Parameters:
    ///   - makeStore: Makes an empty store that shares nothing with those made before.
    ///   - reopen: Opens once more what a store has made durable, after that store was released; `nil` for a store that
    ///     promises no durability.
    ///   - patience: How long a change may take to be heard, for stores that deliver from a thread of their own.
    ///   - sourceLocation: Where failures are recorded.
    /// - Throws: What `makeStore` and `reopen` throw, and what the store throws where it should not.
    public func verify(
        makeStore: @escaping @Sendable () throws -> any PropertyListStore,
        reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)? = nil,
        patience: Duration = .seconds(10),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await verify(makeStore: makeStore, reopen: reopen, patience: patience) { failure in
            Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
        }
    }

    /// Runs the check and hands each failure to a closure, so that the checks themselves can be tested.
    package func verify(
        makeStore: @escaping @Sendable () throws -> any PropertyListStore,
        reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)? = nil,
        patience: Duration,
        record: @escaping @Sendable (_ failure: String) -> Void
    ) async throws {
        try await check(StoreUnderTest(make: makeStore, reopen: reopen, patience: patience, record: record))
    }
}

extension StoreConformance: CustomTestStringConvertible {
    /// The promise's number and what is checked.
    public var testDescription: String { "promise \(promise): \(name)" }
}
