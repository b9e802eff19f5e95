import Foundation

/// A file that is replaced as a whole with bare system calls: the least that a save without a torn file costs.
struct ReplacedFile {
    let path: String

    /// Writes a temporary file, waits for the disk, renames it over the file and waits for the folder.
    func replace(with bytes: [UInt8]) throws {
        let temporary = path + ".tmp"
        try Self.withFile(temporary, O_WRONLY | O_CREAT | O_TRUNC) { file in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
                guard written > 0 else { throw BenchmarkError.systemCall("write") }
                rest = rest.dropFirst(written)
            }
            guard fsync(file) == 0 else { throw BenchmarkError.systemCall("fsync") }
        }
        guard rename(temporary, path) == 0 else { throw BenchmarkError.systemCall("rename") }
        try Self.withFile((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY) { folder in
            guard fsync(folder) == 0 else { throw BenchmarkError.systemCall("fsync") }
        }
    }

    private static func withFile(_ path: String, _ flags: Int32, _ body: (Int32) throws -> Void) throws {
        let file = open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchmarkError.systemCall("open") }
        defer { close(file) }
        try body(file)
    }
}
