@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy) struct OneThreadTests {
    struct Keys: KeyGroup {
        let count = Key<Int>("count", default: 0)
    }

    /// The interface that a program uses.
    enum Caller: CaseIterable {
        case store, keys, group, layers

        /// Returns when the disk has the value 2.
        func commit(to store: any PropertyListStore) async throws {
            switch self {
            case .store: try await store.commit(PropertyListBatch(.set(2, key: "count")))
            case .keys: try await Defaults(store).commit { $0[Keys().count] += 1 }
            case .group: try await Defaults.Group<Keys>(store).commit { $0.count += 1 }
            case .layers:
                let layers = LayeredStore([.init("file", store, isWritable: true), .init("memory", InMemoryStore())])
                try await Defaults(layers).commit { $0[Keys().count] = 2 }
            }
        }

        /// Returns when the disk has what was written before.
        func synchronize(_ store: any PropertyListStore) async throws {
            switch self {
            case .store: try await store.synchronize()
            case .keys: try await Defaults(store).synchronize()
            case .group: try await Defaults.Group<Keys>(store).synchronize()
            case .layers: try await LayeredStore([.init("file", store, isWritable: true)]).synchronize()
            }
        }
    }

    @Test(arguments: FileStoreOptions.modes, Caller.allCases)
    func `a commit leaves a pool of one thread free`(options: FileStoreOptions, caller: Caller) async throws {
        try await checkThatPoolIsFree(options) { try await caller.commit(to: $0) }
    }

    @Test(arguments: FileStoreOptions.modes.filter { $0.durability != .everyBatch }, Caller.allCases)
    func `a synchronization leaves a pool of one thread free`(options: FileStoreOptions, caller: Caller) async throws {
        try await checkThatPoolIsFree(options, writing: 2) { try await caller.synchronize($0) }
    }

    /// Stops the disk at its next flush, until a task of the same pool has run.
    private func checkThatPoolIsFree(
        _ options: FileStoreOptions,
        writing number: PropertyListValue? = nil,
        _ call: @escaping @Sendable (any PropertyListStore) async throws -> Void
    ) async throws {
        let fileSystem = FaultyFileSystem(SimulatedDisk())
        let process = try ProcessDouble(path: "/data/settings.json", options: options, fileSystem: fileSystem)
        try process.save(["count": 1])
        if let number { try process.set(["count": number]) }
        let isWaiting = Locked(false)
        let wasReleased = Locked(false)
        let gate = Gate()
        fileSystem.inject(
            .interlude(before: options.journal == .none ? .fsync : .fdatasync) {
                isWaiting.withLock { $0 = true }
                // It expires only if the call blocks the thread.
                let isReleased = gate.pass()
                wasReleased.withLock { $0 = isReleased }
            }
        )
        try await withTaskExecutorPreference(OneThreadExecutor()) {
            async let end: Void = call(process.store)
            try await eventually("the disk is asked to flush") { isWaiting.withLock(\.self) }
            gate.open()
            try await end
        }
        #expect(wasReleased.withLock { $0 })
        #expect(process["count"] == 2)
    }

    @Test func `many commits at once leave a pool of one thread free`() async throws {
        let process = try ProcessDouble(path: "/data/settings.json", fileSystem: SimulatedDisk())
        let defaults = Defaults(process.store)
        let count = Defaults.Key<Int>("count", default: 0)
        try await withTaskExecutorPreference(OneThreadExecutor()) {
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 { group.addTask { try await defaults.commit { $0[count] += 1 } } }
                try await group.waitForAll()
            }
        }
        #expect(defaults[count] == 100)
    }
}
