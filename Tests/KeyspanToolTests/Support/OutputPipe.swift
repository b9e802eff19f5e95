import Foundation

/// The output of a program that goes on running, to be awaited line by line.
final class OutputPipe {
    /// No line came within the time that only keeps a failing test from waiting for ever, or the program has ended.
    struct NoLine: Error {
        /// What came after the last whole line.
        let rest: String
    }

    /// The path that the program opens for its output.
    let path: String
    private let folder: TemporaryFolder
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("pipe")
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // Without waiting for the program, which waits for this end.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
    }

    /// The next line without its end, once it is there.
    func line() throws -> String {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            guard try waitAndRead() else { throw NoLine(rest: String(decoding: bytes, as: UTF8.self)) }
        }
    }

    /// All that the program writes from now on, until it ends.
    func rest() throws -> String {
        while try waitAndRead() {}
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what is there as soon as something is; answers whether there was something.
    private func waitAndRead() throws -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, 60_000) == 1 else { throw NoLine(rest: String(decoding: bytes, as: UTF8.self)) }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &chunk, chunk.count)
        bytes += chunk.prefix(max(count, 0))
        return count > 0
    }
}
