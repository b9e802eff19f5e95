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
/// ``verify(scale:makeStore:reopen:medium:patience:sourceLocation:)``.
///
/// A store that keeps its values in a place which others can open too, or which can fail, has more to show: pass the
/// ``Medium`` as well. The checks with several stores on one place, and those with a place that fails, are left out
/// without it; one printed line says so for each test that passes `reopen:` or `medium:`.
///
/// Two promises have no right or wrong that a test could decide: that a read does no I/O, and that a held snapshot leaves
/// writes fast. A benchmark of the store measures them.
public struct StoreConformance: Sendable {
    /// The number of repetitions of a check that depends on chance.
    public enum Scale: Sendable {
        /// Up to some 120 writes a check, or a fifth of a second, for each test run and for stores whose writes wait for a network.
        case quick
        /// Up to some thousand writes a check, which meet rare interleavings of threads.
        case thorough

        /// The scale of the stores that this package ships, at the level of this run.
        package static var ofLevel: Scale { TestLevel.current.pick(.quick, thorough: .thorough) }
    }

    /// A new and empty place of a store's values: a file, a table of a database, a prefix in a cluster.
    ///
    /// ```swift
    /// @Test(arguments: StoreConformance.all)
    /// func `stores of one file keep the promises`(_ check: StoreConformance) async throws {
    ///     try await check.verify(
    ///         makeStore: { MyStore() },
    ///         medium: {
    ///             let path = NSTemporaryDirectory() + UUID().uuidString
    ///             return .init { try JSONFileStore(path: path) }
    ///         }
    ///     )
    /// }
    /// ```
    public struct Medium: Sendable {
        let isShared: Bool
        let setFailing: (@Sendable (_ isFailing: Bool) -> Void)?
        let open: @Sendable () throws -> any PropertyListStore

        /// Describes a place.
        ///
        /// - Parameters:
        ///   - isShared: Whether several stores may be open on the place at once, and write to it.
        ///   - setFailing: Lets every access to the place fail from now on, or succeed again; `nil` if a test cannot bring
        ///     that about. A store that retries a failed access for long makes the checks long.
        ///   - open: Opens one more store on the place. If the place is shared, it is called from several threads at the same
        ///     time, and while other stores are open.
        public init(
            isShared: Bool = true,
            setFailing: (@Sendable (_ isFailing: Bool) -> Void)? = nil,
            open: @escaping @Sendable () throws -> any PropertyListStore
        ) {
            self.isShared = isShared
            self.setFailing = setFailing
            self.open = open
        }
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
        reads + texts + revisions + batches + snapshots + observation + delivery + durability + sharing + failure
        + rejection

    /// Runs the check.
    ///
    /// - Parameters:
    ///   - scale: How often the check repeats what could go wrong by chance.
    ///   - makeStore: Makes an empty store that shares nothing with those made before.
    ///   - reopen: Opens a store again after it made its values durable and was released; `nil` for a store that promises no
    ///     durability.
    ///   - medium: Makes an empty place, which several stores can open or which can fail; `nil` leaves the checks of that out.
    ///   - patience: How long another thread may take to deliver a change or to end a write. Only a failing check takes it:
    ///     after the first one, the other checks of the same line wait half a second, which their failures say.
    ///   - sourceLocation: Where failures are recorded.
    /// - Throws: The errors of the closures, and unexpected errors of the store.
    public func verify(
        scale: Scale = .quick,
        makeStore: @escaping @Sendable () throws -> any PropertyListStore,
        reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)? = nil,
        medium: (@Sendable () throws -> Medium)? = nil,
        patience: Duration = .seconds(6),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await verify(
            scale: scale,
            makeStore: makeStore,
            reopen: reopen,
            medium: medium,
            patience: patience,
            sourceLocation: sourceLocation
        ) { failure in
            Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
        }
    }

    /// Runs the check and passes each failure to a closure, so that the checks themselves can be tested.
    package func verify(
        scale: Scale = .quick,
        makeStore: @escaping @Sendable () throws -> any PropertyListStore,
        reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)? = nil,
        medium: (@Sendable () throws -> Medium)? = nil,
        patience: Duration,
        sourceLocation: SourceLocation = #_sourceLocation,
        record: @escaping @Sendable (_ failure: String) -> Void
    ) async throws {
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        // Checks find failures on any thread; an issue belongs to the test only if the test's task records it.
        let failures = Locked<[String]>([])
        defer { failures.withLock(\.self).forEach(record) }
        let test = StoreUnderTest(
            scale: scale,
            make: makeStore,
            reopen: reopen,
            makeMedium: medium,
            longPatience: patience,
            run: .of(sourceLocation)
        ) { failure in
            failures.withLock { $0.append(failure) }
        }
        try await withTaskExecutorPreference(TestThreadExecutor.shared) { try await check(test) }
    }
}

extension StoreConformance: CustomTestStringConvertible {
    /// The promise's number and the checked statement.
    public var testDescription: String { "promise \(promise): \(name)" }
}
