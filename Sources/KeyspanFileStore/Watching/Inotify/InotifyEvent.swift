import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if !canImport(Darwin)
/// One event of inotify(7).
struct InotifyEvent {
    /// The number of the watch; -1 if events were lost.
    let watch: Int32
    /// What happened: bits of `IN_…`.
    let mask: UInt32
    /// The name in the watched folder; empty if the event is about the watched folder or file itself.
    let name: String

    /// Whether the event is about an item of that name; names are compared byte by byte.
    func isOf(_ name: String) -> Bool { self.name.hasSameUTF8(as: name) }

    /// Whether events were lost because nobody read them in time.
    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

    /// Whether the watch has ended: the folder or file was removed, or its file system unmounted.
    var isEnd: Bool { mask & UInt32(IN_IGNORED) != 0 }
}

extension InotifyEvent {
    /// The events in the bytes that a read of an instance filled, which are whole events.
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
#endif
