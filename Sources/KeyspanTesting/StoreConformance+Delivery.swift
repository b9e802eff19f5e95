internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promise 4: the thread that calls an observer, and the moment.
    static let delivery = [
        StoreConformance(promise: 4, "a program of one thread receives each change on it before the write returns") {
            test in
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["a"]), initial: false, recorder.receive)
            defer { observation.cancel() }
            let total = test.repetitions(50, thorough: 500)
            for number in 1...total {
                try store.write(.init(number), forKey: "a")
                let count = recorder.count
                guard count == number else {
                    return test.expect(false, "\(count) of \(number) changes had arrived when the write returned")
                }
            }
            let elsewhere = recorder.threads.count { $0 != .current }
            test.expect(elsewhere == 0, "\(elsewhere) of \(total) changes arrived on another thread than the writer's")
        },
        StoreConformance(promise: 4, "the present values arrive on the registering thread before it goes on") { test in
            let store = try test.make()
            let isOver = Locked(false)
            defer { isOver.withLock { $0 = true } }
            let writer = TestThread {
                var number = 0
                while !isOver.withLock(\.self) {
                    number += 1
                    try? store.write(.init(number), forKey: "a")  // Other checks find a failure.
                }
            }
            let total = test.repetitions(20, thorough: 200)
            var late = 0
            for _ in 0..<total {
                let recorder = ChangeRecorder()
                let observation = store.observe(.named(["a"]), initial: true, recorder.receive)
                let isFirst = recorder.changes.first?.isInitial == true && recorder.threads.first == .current
                late += isFirst ? 0 : 1
                observation.cancel()
            }
            isOver.withLock { $0 = true }
            test.join(writer, orRecord: "a writer did not finish")
            test.expect(late == 0, "\(late) of \(total) initial changes were late or arrived on another thread")
        },
        StoreConformance(promise: 4, "an observer may wait for one of another key, which it does not delay") { test in
            try verifyWaitingObserver(test)
        },
        StoreConformance(promise: 4, "each observer is called by the threads that change its keys") { test in
            try verifyOwnKeys(test)
        },
        StoreConformance(promise: 4, "a writer does not wait for changes of other threads, which arrive in order") {
            test in
            let recorder = ChangeRecorder()
            let (numbers, observation) = try verifyBoundedWriter(test, recorder)
            defer { observation.cancel() }
            let isComplete = try await test.expectEventually("changes were lost while the observer was busy") {
                recorder.count >= numbers.count
            }
            guard isComplete else { return }
            test.expect(recorder.values(of: "a") == numbers, "the changes arrived in another order, or twice")
            test.expect(!recorder.overlapped, "two calls to one observer overlapped")
        },
        StoreConformance(promise: 4, "no observer is called while the store holds a lock") { test in
            _ = try test.callsObserversUnlocked()
        },
        StoreConformance(promise: 4, "an observer's write to its own key arrives after its call, on its thread") {
            test in
            try verifyReentrancy(test)
        },
        StoreConformance(promise: 4, "a canceled observer does not receive the changes that wait for it") { test in
            try verifyCancellation(test)
        },
    ]

    /// While an observer of `a` waits for one of `b`, another thread writes `b` and then `a`.
    private static func verifyWaitingObserver(_ test: StoreUnderTest) throws {
        let store = try test.make()
        let (first, second) = (ChangeRecorder(), ChangeRecorder())
        let (entered, received) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let waiting = store.observe(.named(["a"]), initial: false) { change in
            first.receive(change) {
                guard change["a"]?.new == 1 else { return }
                entered.signal()
                test.wait(for: received, orRecord: "an observer was delayed by one of another key")
            }
        }
        let awaited = store.observe(.named(["b"]), initial: false) { change in
            second.receive(change)
            received.signal()
        }
        defer {
            waiting.cancel()
            awaited.cancel()
        }
        let writer = test.startWriter(of: 1, forKey: "a", to: store, entered: entered, observer: first)
        guard let writer else { return }
        try store.write(1, forKey: "b")
        test.expect(
            second.threads == [.current],
            "a change did not arrive on the writer's thread before its write returned"
        )
        test.join(writer, orRecord: "a write did not return after its observer")
        try store.write(2, forKey: "a")
        test.expect(first.values(of: "a") == [1, 2], "the changes of a key did not arrive, or in another order")
    }

    /// Several threads write one key each, and the observer of each key records the calling thread.
    private static func verifyOwnKeys(_ test: StoreUnderTest) throws {
        let store = try test.make()
        let total = test.repetitions(10, thorough: 100)
        let writers = (0..<4).map { writer in
            let key = "key \(writer)"
            let recorder = ChangeRecorder()
            let observation = store.observe(.named([UTF8Text(key)]), initial: false, recorder.receive)
            return TestThread {
                defer { observation.cancel() }
                for number in 1...total {
                    try? store.write(.init(number), forKey: key)
                    let count = recorder.count
                    guard count == number else {
                        return test.expect(false, "\(count) of \(number) changes had arrived when the write returned")
                    }
                }
                let isOwn = recorder.threads.allSatisfy { $0 == .current }
                test.expect(isOwn, "an observer was called by a thread that did not change its key")
            }
        }
        for writer in writers {
            test.join(writer, orRecord: "a writer did not finish")
        }
    }

    /// While an observer is busy with the change of one thread, another thread makes many.
    ///
    /// - Returns: The values in the order in which they were written, and the registration, which lives on.
    private static func verifyBoundedWriter(
        _ test: StoreUnderTest,
        _ recorder: ChangeRecorder
    ) throws -> (numbers: [PropertyListValue?], observation: StoreObservation) {
        let store = try test.make()
        let (entered, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let written = Locked(0)
        let observation = store.observe(.named(["a"]), initial: false) { change in
            recorder.receive(change) {
                guard change["a"]?.new == 0 else { return }
                entered.signal()
                test.wait(for: mayLeave, orRecord: "a writer waited for an observer that another thread calls") {
                    written.withLock(\.self)
                }
            }
        }
        let free = ChangeRecorder()
        let freeObservation = store.observe(.named(["a"]), initial: false, free.receive)
        defer { freeObservation.cancel() }
        let calls = Locked(0)
        let writer = TestThread {
            try? store.write(0, forKey: "a")
            let own = recorder.threads.count { $0 == .current }
            calls.withLock { $0 = own }
            // A write that has returned need not be waited for.
            entered.signal()
        }
        let isEntered = test.wait(for: entered, orRecord: "a write neither returned nor called its observer")
        test.expect(!isEntered || recorder.count > 0, "an observer was not called")
        guard recorder.count > 0 else { return ([], observation) }
        // More than a writer may deliver for other threads.
        let total = test.repetitions(120, thorough: 200)
        for number in 1...total {
            try store.write(.init(number), forKey: "a")
            written.withLock { $0 = number }
        }
        test.expect(free.values(of: "a").last == .init(total), "an observer was delayed by another one of its key")
        mayLeave.signal()
        test.join(writer, orRecord: "a write did not return")
        let taken = calls.withLock(\.self)
        test.expect(taken <= 100, "a writer of one change made \(taken) calls for the changes of another thread")
        return ((0...total).map { .init($0) }, observation)
    }

    /// An observer writes the key that it observes.
    private static func verifyReentrancy(_ test: StoreUnderTest) throws {
        guard try test.callsObserversUnlocked() else { return }
        let store = try test.make()
        let recorder = ChangeRecorder()
        let total = test.repetitions(20, thorough: 50)
        let observation = store.observe(.named(["number"]), initial: false) { [weak store] change in
            recorder.receive(change) {
                guard let number = change["number"]?.new?.integerValue?.converted(to: Int.self), number < total else {
                    return
                }
                try? store?.write(.init(number + 1), forKey: "number")  // A failure shows as a missing change.
            }
        }
        defer { observation.cancel() }
        try store.write(1, forKey: "number")
        let count = recorder.count
        test.expect(count == total, "\(count) of \(total) changes had arrived when the first write returned")
        test.expect(
            recorder.threads.allSatisfy { $0 == .current },
            "an observer's own write arrived on another thread"
        )
        test.expect(!recorder.overlapped, "an observer was called for what it wrote before it had returned")
    }

    /// An observer is canceled while it is busy and changes wait for it.
    private static func verifyCancellation(_ test: StoreUnderTest) throws {
        let store = try test.make()
        let recorder = ChangeRecorder()
        let (entered, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let written = Locked(0)
        let isCut = Locked(false)
        let observation = store.observe(.named(["a"]), initial: false) { change in
            recorder.receive(change) {
                guard change["a"]?.new == 0 else { return }
                entered.signal()
                let isInTime = test.wait(for: mayLeave) { written.withLock(\.self) }
                isCut.withLock { $0 = !isInTime }
            }
        }
        let writer = test.startWriter(of: 0, forKey: "a", to: store, entered: entered, observer: recorder)
        guard let writer else { return observation.cancel() }
        for number in 1...20 {
            try store.write(.init(number), forKey: "a")
            written.withLock { $0 = number }
        }
        observation.cancel()
        mayLeave.signal()
        test.join(writer, orRecord: "a write did not return")
        try store.write("end", forKey: "a")
        // Another check finds that a writer waits for an observer.
        if isCut.withLock(\.self) { return }
        test.expect(recorder.count == 1, "a canceled observer was called for changes that waited for it")
    }
}
