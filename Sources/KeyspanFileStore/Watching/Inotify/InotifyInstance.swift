internal import Dispatch
import KeyspanCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if !canImport(Darwin)
/// An open inotify(7) instance, which is read whenever something happens, and closed when this object goes away.
final class InotifyInstance: Sendable {
    /// The descriptor.
    let descriptor: Int32
    private let source: Locked<any DispatchSourceRead>

    /// Takes over a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: An instance that is read without waiting.
    ///   - onEvents: Called on a queue of its own with all that happened since the last call.
    init(descriptor: Int32, onEvents: @escaping @Sendable ([InotifyEvent]) -> Void) {
        self.descriptor = descriptor
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "keyspan.watch", qos: .utility)
        )
        let pace = EventPace()
        source.setEventHandler {
            onEvents(Self.readEvents(from: descriptor))
            pace.pauseInRush()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        self.source = Locked(source)
    }

    deinit {
        source.withLock { $0.cancel() }
    }

    /// Reads once; what does not fit makes the source call again.
    private static func readEvents(from descriptor: Int32) -> [InotifyEvent] {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 4) { buffer in
            // An interrupted read fails, and the source calls again.
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return InotifyEvent.parse(UnsafeRawBufferPointer(rebasing: buffer.prefix(max(count, 0))))
        }
    }
}
#endif
