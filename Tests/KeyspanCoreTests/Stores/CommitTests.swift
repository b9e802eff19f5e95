import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// Commits to a store whose disk makes every flush wait.
@Suite(.timeLimit(.minutes(5)))
struct CommitTests {
    /// A store in memory whose `synchronize()` blocks its thread until the disk is released.
    private final class WaitingStore: PropertyListStore {
        private let memory = InMemoryStore()
        private let condition = NSCondition()
        private let isReleased = Locked(false)
        private let waiting = Locked(0)
        /// The tasks that are about to call the store.
        private let begun = Locked(0)

        var name: String { memory.name }
        var waitingCount: Int { waiting.withLock(\.self) }
        var begunCount: Int { begun.withLock(\.self) }

        func begin() { begun.withLock { $0 += 1 } }

        func storedValue(forKey key: String) -> StoredValue? { memory.storedValue(forKey: key) }
        func snapshot() -> PropertyListTable { memory.snapshot() }
        func apply(_ batch: PropertyListBatch) throws(StoreError) { try memory.apply(batch) }

        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation {
            memory.observe(keys, initial: initial, receive)
        }

        func synchronize() {
            condition.lock()
            waiting.withLock { $0 += 1 }
            while !isReleased.withLock(\.self) { condition.wait() }
            condition.unlock()
        }

        func release() {
            condition.lock()
            isReleased.withLock { $0 = true }
            condition.broadcast()
            condition.unlock()
        }
    }

    /// More commits than the cooperative pool has threads, each of which would hold one of them.
    private static let count = 4 * ProcessInfo.processInfo.activeProcessorCount

    enum Call: CaseIterable {
        case commit, commitToLayers, synchronize
    }

    @Test(arguments: Call.allCases)
    func `calls that wait for a disk leave the cooperative pool to other tasks`(_ call: Call) async throws {
        let disk = WaitingStore()
        let store: any PropertyListStore =
            call == .commitToLayers
            ? LayeredStore([.init("top", InMemoryStore()), .init("disk", disk, isWritable: true)]) : disk
        // Without free threads this test could not even fail: the disk comes back by itself.
        let isOver = DispatchSemaphore(value: 0)
        let isStuck = Locked(false)
        let watchdog = TestThread {
            guard isOver.wait(timeout: .now() + 1200) == .timedOut else { return }
            isStuck.withLock { $0 = true }
            disk.release()
        }
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.count {
                group.addTask {
                    disk.begin()
                    if call == .synchronize { return try await store.synchronize() }
                    try await store.commit(PropertyListBatch(.set(.init(number), key: "key \(number)")))
                }
            }
            try await eventually { disk.begunCount == Self.count && disk.waitingCount > 0 }
            for _ in 0..<Self.count {
                let answer = await Task { store.value(forKey: "absent") == nil }.value
                #expect(answer)
            }
            let wasStuck = isStuck.withLock(\.self)
            #expect(!wasStuck, "commits blocked the threads of the cooperative pool")
            disk.release()
            try await group.waitForAll()
        }
        isOver.signal()
        watchdog.join()
        #expect(store.snapshot().count == (call == .synchronize ? 0 : Self.count))
    }
}
