#if Etcd || Remote
import Foundation

/// The lines that a process writes.
final class LineReader {
    private let pipe: Pipe
    private var buffer: [UInt8] = []

    init(_ pipe: Pipe) {
        self.pipe = pipe
    }

    /// Waits for the next line; throws after five minutes.
    func next() throws -> String {
        let file = pipe.fileHandleForReading.fileDescriptor
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var question = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&question, 1, 300_000) > 0 else { throw BenchmarkError("another process reports nothing") }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(file, &chunk, chunk.count)
            guard count > 0 else { throw BenchmarkError("another process has ended") }
            buffer += chunk[..<count]
        }
    }
}
#endif
