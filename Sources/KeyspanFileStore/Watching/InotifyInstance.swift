import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if !canImport(Darwin)
/// An open inotify(7) instance: reads events as they happen, and closes the descriptor when it is released.
///
/// A thread waits for events in the kernel, which wakes nobody else. If a client has to look at a file, that thread does so, and
/// leaves the next events to another one.
final class InotifyInstance: Sendable {
    /// The descriptor.
    let descriptor: Int32
    /// The end of a pair of sockets whose closing ends the wait.
    private let end: Int32

    /// Takes ownership of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: A nonblocking instance.
    ///   - onEvents: Called on one thread at a time with all events since the last call.
    /// - Returns: `nil` with the number of the error in `errno` if there are too many open files; the descriptor is closed then.
    init?(descriptor: Int32, onEvents: @escaping @Sendable ([InotifyEvent]) -> [EventResponse]) {
        var ends: [Int32] = [-1, -1]
        // Swift has no name for pipe2(2). In two steps, a child that is started in between would keep the ends.
        #if canImport(Glibc)
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM | SOCK_CLOEXEC
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            let failure = errno
            close(descriptor)
            errno = failure
            return nil
        }
        (self.descriptor, end) = (descriptor, ends[1])
        EventReader(descriptor: descriptor, end: ends[0], onEvents: onEvents).start()
    }

    deinit {
        close(end)
    }
}

/// Reads the events of an instance, on one thread after the other.
private struct EventReader: Sendable {
    let descriptor: Int32
    let end: Int32
    let onEvents: @Sendable ([InotifyEvent]) -> [EventResponse]

    func start() {
        BlockingThread.run { run() }
    }

    private func run() {
        while true {
            var files = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                // The closing of the other end is always reported.
                pollfd(fd: end, events: 0, revents: 0),
            ]
            // An interrupted wait fails, and is repeated.
            guard poll(&files, 2, -1) > 0 else { continue }
            if files[1].revents != 0 { break }
            let responses = onEvents(Self.readEvents(from: descriptor))
            // The system coalesces further events meanwhile, and wakes no other thread than this one.
            let isResting = !responses.isEmpty && responses.allSatisfy(\.isResting)
            if isResting { LockPatience.stopThread(for: EventResponse.restDuration) }
            var here: (@Sendable () -> Void)?
            for var response in responses {
                if isResting { response.isResting = false }
                if here == nil, !response.isResting { here = response.look } else { response.lookElsewhere() }
            }
            if let here {
                start()
                return here()
            }
        }
        close(descriptor)
        close(end)
    }

    /// Reads once; remaining events end the next wait at once.
    private static func readEvents(from descriptor: Int32) -> [InotifyEvent] {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 4) { buffer in
            // An interrupted read fails, and the next wait ends at once.
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return InotifyEvent.parse(UnsafeRawBufferPointer(rebasing: buffer.prefix(max(count, 0))))
        }
    }
}

/// One event of inotify(7).
struct InotifyEvent {
    /// The number of the watch; -1 if events were lost.
    let watch: Int32
    /// The kinds of the event: bits of `IN_…`.
    let mask: UInt32
    /// The name in the watched folder; empty if the event is about the watched folder or file itself.
    let name: String

    /// Whether the event is about an item of a name, compared byte by byte.
    func isOf(_ name: String) -> Bool { self.name.hasSameUTF8(as: name) }

    /// The number in place of a watch's when events were lost.
    static let watchOfOverflow: Int32 = -1

    /// Whether events were lost because they were not read in time.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

    /// Whether the watch has ended: the folder or file was removed, or its file system unmounted.
    var isEnd: Bool { mask & UInt32(IN_IGNORED) != 0 }
}

extension InotifyEvent {
    /// Parses the bytes of one read from an instance, which are whole events.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var rest = bytes[...]
        while rest.count >= headerSize {
            let event = UnsafeRawBufferPointer(rebasing: rest)
            // struct inotify_event: watch, mask, cookie and length of the name, 32 bits each, and the name, ended by NULs.
            let length = Int(event.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            let name = event.dropFirst(headerSize).prefix(length).prefix { $0 != 0 }
            events.append(
                InotifyEvent(
                    watch: event.loadUnaligned(as: Int32.self),
                    mask: event.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    name: String(decoding: name, as: UTF8.self)
                )
            )
            rest = rest.dropFirst(headerSize + length)
        }
        return events
    }

    private static var headerSize: Int { 16 }
}

/// The system calls of inotify(7), so that tests can make each of them fail.
///
/// The events are read from the instance's descriptor.
package protocol InotifyCalls: Sendable {
    /// Makes a nonblocking instance: `inotify_init1(2)`, with `IN_CLOEXEC` and `IN_NONBLOCK`.
    ///
    /// - Parameter path: The path to name in an error.
    /// - Returns: Its descriptor.
    func makeInstance(for path: String) throws(SystemCallError) -> Int32

    /// Watches a folder or a file for events: `inotify_add_watch(2)`.
    ///
    /// - Returns: The number of the watch, which is the old one for a folder or file that the instance already watches.
    func addWatch(_ path: String, mask: UInt32, to instance: Int32) throws(SystemCallError) -> Int32

    /// Ends a watch: `inotify_rm_watch(2)`. The watch may already have ended with its folder or file.
    func removeWatch(_ watch: Int32, from instance: Int32)
}

/// The real system calls, one in each method.
package struct SystemInotifyCalls: InotifyCalls {
    /// Makes the calls.
    package init() {}

    package func makeInstance(for path: String) throws(SystemCallError) -> Int32 {
        let instance = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if instance < 0 { throw SystemCallError(.inotifyInit, path, errno) }
        return instance
    }

    package func addWatch(_ path: String, mask: UInt32, to instance: Int32) throws(SystemCallError) -> Int32 {
        let watch = inotify_add_watch(instance, path, mask)
        if watch < 0 { throw SystemCallError(.inotifyAddWatch, path, errno) }
        return watch
    }

    package func removeWatch(_ watch: Int32, from instance: Int32) {
        inotify_rm_watch(instance, watch)
    }
}
#endif
