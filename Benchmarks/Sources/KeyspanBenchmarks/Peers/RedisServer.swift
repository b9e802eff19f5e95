import Foundation

/// A server of Redis of our own, with a log that each write waits for, in a folder of its own; only where it is installed.
final class RedisServer {
    private let process = Process()
    private let socket: String

    /// Starts a server that answers on a socket in an existing folder.
    init(folder: String) throws {
        guard let program = Self.program else {
            throw MissingPeer("Redis is not installed (Debian: apt-get install redis-server)")
        }
        let path = "\(folder)/s"
        guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw BenchmarkError("\(path) is too long for a socket; choose a shorter TMPDIR")
        }
        process.executableURL = program
        process.arguments = [
            "--port", "0", "--unixsocket", path, "--dir", folder, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always", "--daemonize", "no",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // Last, because an initializer that throws before has no process to end.
        socket = path
        try waitForSocket()
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// A client with a connection of its own.
    func connect() throws -> RedisClient { try RedisClient(socket: socket) }

    private func waitForSocket() throws {
        for _ in 0..<500 {
            if (try? connect()) != nil { return }
            usleep(10_000)
        }
        throw BenchmarkError("redis-server does not answer on \(socket)")
    }

    private static var program: URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: "\($0)/redis-server") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

/// A connection to a server of Redis.
final class RedisClient: Sendable {
    private let connection: Int32

    fileprivate init(socket path: String) throws {
        #if canImport(Darwin)
        connection = Foundation.socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        connection = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard connection >= 0 else { throw BenchmarkError.systemCall("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The rest is zeros already.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let error = BenchmarkError.systemCall("connect")
            close(connection)
            throw error
        }
    }

    deinit {
        close(connection)
    }

    /// Writes a value; the disk has it when this returns.
    func set(_ value: Int, forKey key: String) throws {
        let text = String(value)
        let command = "*3\r\n$3\r\nSET\r\n$\(key.utf8.count)\r\n\(key)\r\n$\(text.utf8.count)\r\n\(text)\r\n"
        guard send(command) == command.utf8.count else { throw BenchmarkError.systemCall("write") }
        // Replies are sent whole, because each is a few bytes and nothing follows it.
        var reply = [UInt8](repeating: 0, count: 64)
        let count = read(connection, &reply, reply.count)
        guard count > 0 else { throw BenchmarkError.systemCall("read") }
        let answer = String(decoding: reply[..<count], as: UTF8.self)
        guard answer == "+OK\r\n" else { throw BenchmarkError("Redis answers \(answer)") }
    }

    private func send(_ command: String) -> Int {
        var command = command
        return command.withUTF8 { write(connection, $0.baseAddress, $0.count) }
    }
}
