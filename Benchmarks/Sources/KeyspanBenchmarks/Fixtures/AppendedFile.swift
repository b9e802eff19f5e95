import Foundation

/// A file that bytes are appended to with bare system calls: the least that a durable write costs.
final class AppendedFile {
    private let file: Int32

    /// Makes the file and keeps it open.
    init(path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if file < 0 { throw BenchmarkError.systemCall("open") }
    }

    deinit {
        close(file)
    }

    /// Appends the bytes and waits for the disk.
    func append(_ bytes: [UInt8]) throws {
        guard write(file, bytes, bytes.count) == bytes.count else { throw BenchmarkError.systemCall("write") }
        #if canImport(Darwin)
        let result = fsync(file)
        #else
        let result = fdatasync(file)
        #endif
        if result != 0 { throw BenchmarkError.systemCall("fdatasync") }
    }
}
