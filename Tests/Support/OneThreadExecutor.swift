import Dispatch

/// A pool of one thread: a call that blocked it would hold up everything else that runs there.
package final class OneThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "keyspan.test.one-thread")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
