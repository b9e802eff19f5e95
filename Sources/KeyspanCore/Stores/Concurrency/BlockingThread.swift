internal import Dispatch

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Threads for work that waits for a disk or a lock, which may never answer.
///
/// Dispatch has about 250 threads for a process. Work that blocks them all would hold up stores on other disks, and the program.
package enum BlockingThread {
    /// The work of a thread, on its way to it.
    private final class Start: Sendable {
        let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) {
            self.work = work
        }

        static func run(_ start: UnsafeMutableRawPointer) {
            Unmanaged<Start>.fromOpaque(start).takeRetainedValue().work()
        }
    }

    /// Runs work on a thread of its own, or on one of Dispatch if the system has no more threads for the process.
    package static func run(_ work: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(work))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        // The signals of the process are for the program's threads, as with Dispatch. Faults are for the thread itself, and so are the timers
        // of profilers, unless the program blocks them here as well.
        var (signals, before) = (sigset_t(), sigset_t())
        sigfillset(&signals)
        for own in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF, SIGVTALRM] {
            sigdelset(&signals, own)
        }
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        #if canImport(Darwin)
        let failure = pthread_create(
            &thread,
            &attributes,
            {
                Start.run($0); return nil
            },
            start.toOpaque()
        )
        #else
        let failure = pthread_create(
            &thread,
            &attributes,
            {
                $0.map(Start.run); return nil
            },
            start.toOpaque()
        )
        #endif
        guard failure != 0 else { return }
        start.release()
        DispatchQueue(label: "keyspan.blocking-work").async(execute: work)
    }
}
