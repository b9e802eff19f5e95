#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread with a stack of 512 KB, the size of Apple's secondary threads: the smallest that applications run code on.
enum SmallStackThread {
    private class Work {
        func run() {}
    }

    private final class WorkWithResult<Result>: Work {
        private let body: () -> Result
        private(set) var result: Result?

        init(_ body: @escaping () -> Result) {
            self.body = body
        }

        override func run() {
            result = body()
        }
    }

    /// Runs the body on a thread of its own and waits for its end.
    ///
    /// - Returns: The result of the body, or `nil` if the thread could not be started.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        // In memory of its own: its `init()` is not visible here once Dispatch is loaded too.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        guard pthread_attr_init(attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(attributes) }
        guard pthread_attr_setstacksize(attributes, 512 * 1024) == 0 else { return nil }
        // Alive until after the join, and touched by one thread at a time.
        let work = WorkWithResult(body)
        let pointer = Unmanaged<Work>.passUnretained(work).toOpaque()
        return withExtendedLifetime(work) {
            #if canImport(Darwin)
            var thread: pthread_t?
            guard pthread_create(&thread, attributes, { Self.start($0) }, pointer) == 0, let thread else { return nil }
            #else
            var thread = pthread_t()
            guard pthread_create(&thread, attributes, { Self.start($0) }, pointer) == 0 else { return nil }
            #endif
            return pthread_join(thread, nil) == 0 ? work.result : nil
        }
    }

    private static func start(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue().run() }
        return nil
    }
}
