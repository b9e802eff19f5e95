import Foundation

/// A file whose space is there already and that bytes are written over with bare system calls: what a log with reserved
/// space costs.
final class ReservedFile {
    private static let size = 1 << 20

    private let file: Int32
    private var offset = 0

    /// Makes the file, full of zeros that the disk has.
    init(path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if file < 0 { throw BenchmarkError.systemCall("open") }
        let zeros = [UInt8](repeating: 0, count: Self.size)
        guard pwrite(file, zeros, zeros.count, 0) == zeros.count else { throw BenchmarkError.systemCall("pwrite") }
        guard fsync(file) == 0 else { throw BenchmarkError.systemCall("fsync") }
    }

    deinit {
        close(file)
    }

    /// Writes the bytes behind those before, or over the first ones at the end, and waits for the disk.
    func write(_ bytes: [UInt8]) throws {
        if offset + bytes.count > Self.size { offset = 0 }
        guard pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw BenchmarkError.systemCall("pwrite")
        }
        offset += bytes.count
        #if canImport(Darwin)
        let result = fsync(file)
        #else
        let result = fdatasync(file)
        #endif
        if result != 0 { throw BenchmarkError.systemCall("fdatasync") }
    }
}
