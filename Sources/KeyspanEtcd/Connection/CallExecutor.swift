#if Etcd
internal import Dispatch
internal import Synchronization

/// The threads on which the tasks of stores run: a few of this module's own.
///
/// A program may block all threads of the cooperative pool with writes that wait for the cluster. The tasks that end their waiting must
/// not need one of these threads.
final class CallExecutor: TaskExecutor {
    private static let all = (0..<2).map { _ in CallExecutor() }
    private static let turn = Atomic(0)

    let queue = DispatchQueue(label: "keyspan.etcd")

    /// The executor for a new store: of all in turn.
    static func next() -> CallExecutor {
        all[turn.wrappingAdd(1, ordering: .relaxed).oldValue & (all.count - 1)]
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension CallExecutor {
    /// Runs work on the executor's thread after a while.
    func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
    }

    /// Lets the task wait, or until it is canceled.
    ///
    /// `Task.sleep` would need a thread of the cooperative pool, all of which may wait for this task.
    func pause(for duration: Duration) async {
        let over = Flag()
        run(after: duration) { over.set() }
        await over.wait()
    }
}
#endif
