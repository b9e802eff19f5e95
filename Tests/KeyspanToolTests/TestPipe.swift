import Foundation
import KeyspanTestSupport

/// A pipe to or from a program, whose other end a test holds.
final class TestPipe {
    let writer: Int32
    private(set) var reader: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try check(pipe(&ends))
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        closeReader()
        close(writer)
    }

    /// Leaves the pipe without a reader.
    func closeReader() {
        close(reader)
        reader = -1
    }

    /// Whether a program has read everything.
    var isEmpty: Bool {
        var event = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, 0) == 0
    }

    /// Whether a program that writes more has to wait.
    var isFull: Bool {
        var event = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        return poll(&event, 1, 0) == 0
    }

    /// The lines from here on, up to a certain one.
    func lines(through last: String) throws -> [String] {
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        let end = Array("\n\(last)\n".utf8)
        while !bytes.suffix(end.count).elementsEqual(end) {
            var event = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 60_000) == 1 else { throw POSIXError(.ETIMEDOUT) }
            let count = try check(read(reader, &chunk, chunk.count))
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
