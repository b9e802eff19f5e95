public import KeyspanCore
public import Testing

/// One of the checks that verify the six promises of `PropertyListStore`.
///
/// One parameterized test runs all of them on a store of yours:
///
/// ```swift
/// @Test(arguments: StoreConformance.all)
/// func `my store keeps the promises of a store`(_ check: StoreConformance) async throws {
///     try await check.verify { MyStore() }
/// }
/// ```
///
/// Each check makes stores of its own, so that all can be started at the same time. Four of them run at once, on threads outside
/// of the cooperative pool, so that a store may block. A failure is recorded as an issue at the line that called
/// ``verify(scale:makeStore:reopen:patience:sourceLocation:)``.
///
/// Two promises have no right or wrong that a test could decide: that a read does no I/O, and that a held snapshot leaves
/// writes fast. A benchmark of the store measures them.
public struct StoreConformance: Sendable {
    /// The number of repetitions of a check that depends on chance.
    public enum Scale: Sendable {
        /// Up to some 120 writes a check, for each test run and for stores whose writes wait for a network.
        case quick
        /// Up to some thousand writes a check, which meet rare interleavings of threads.
        case thorough

        /// The scale of the stores that this package ships, at the level of this run.
        package static var ofLevel: Scale { TestLevel.current.pick(.quick, thorough: .thorough) }
    }

    /// The number of the promise in the documentation of `PropertyListStore`.
    public let promise: Int

    /// The checked statement, as a sentence.
    public let name: String

    /// The turns of checks that run at the same time: each blocks several threads, and Dispatch has a limited number of them.
    private static let turns = Turns(available: 4)

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
        reads + texts + revisions + batches + snapshots + observation + delivery + durability + rejection

    /// Runs the check.
    ///
    /// - Parameters:
    ///   - scale: How often the check repeats what could go wrong by chance.
    ///   - makeStore: Makes an empty store that shares nothing with those made before.
    ///   - reopen: Opens a store again after it made its values durable and was released; `nil` for a store that promises no
    ///     durability.
    ///   - patience: How long an expected change may take to arrive, for stores that deliver from a thread of their own.
    ///   - sourceLocation: Where failures are recorded.
    /// - Throws: The errors of `makeStore` and `reopen`, and unexpected errors of the store.
    public func verify(
        scale: Scale = .quick,
        makeStore: @escaping @Sendable () throws -> any PropertyListStore,
        reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)? = nil,
        patience: Duration = .seconds(10),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await verify(scale: scale, makeStore: makeStore, reopen: reopen, patience: patience) { failure in
            Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
        }
    }

    /// Runs the check and passes each failure to a closure, so that the checks themselves can be tested.
    package func verify(
        scale: Scale = .quick,
        makeStore: @escaping @Sendable () throws -> any PropertyListStore,
        reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)? = nil,
        patience: Duration,
        record: @escaping @Sendable (_ failure: String) -> Void
    ) async throws {
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        // Checks find failures on any thread; an issue belongs to the test only if the test's task records it.
        let failures = Locked<[String]>([])
        defer { failures.withLock(\.self).forEach(record) }
        let test = StoreUnderTest(scale: scale, make: makeStore, reopen: reopen, patience: patience) { failure in
            failures.withLock { $0.append(failure) }
        }
        try await withTaskExecutorPreference(TestThreadExecutor.shared) { try await check(test) }
    }
}

extension StoreConformance: CustomTestStringConvertible {
    /// The promise's number and the checked statement.
    public var testDescription: String { "promise \(promise): \(name)" }
}
