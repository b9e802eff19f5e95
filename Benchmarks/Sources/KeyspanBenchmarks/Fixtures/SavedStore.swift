import Foundation
import Keyspan

/// A store of a file, whose contents are on the disk, and a key that is changed and saved again and again.
final class SavedStore {
    private let store: JSONFileStore
    private let defaults: Defaults
    private let key = Defaults.Key(Contents.name(0), default: 0)
    /// Of as many digits as all that follow, so that all records of the journal have one size.
    private var number = 1_000_000_000

    /// Makes the file.
    init(_ path: String, count: Int, options: FileStoreOptions) throws {
        try JSONFileStore.makeFile(path, count: count)
        store = try JSONFileStore(path: path, options: options)
        defaults = Defaults(store)
        // The first save after opening also begins the journal.
        try save()
    }

    /// Changes the key and makes the change durable.
    func durableWrite(roundLength: Duration? = nil) -> Workload {
        Workload("write, synchronize", operations: 1, roundLength: roundLength) { try self.save() }
    }

    /// Appends as many bytes to a file in the same folder as a change writes.
    func append() throws -> Workload {
        let bytes = try writtenBytes()
        let file = try AppendedFile(path: store.name + ".floor")
        return Workload("append \(bytes.count) B, fdatasync", operations: 1) { try file.append(bytes) }
    }

    /// Writes as many bytes over others of a file in the same folder as a change writes.
    func overwrite() throws -> Workload {
        let bytes = try writtenBytes()
        let file = try ReservedFile(path: store.name + ".floor")
        return Workload("pwrite \(bytes.count) B in place, fdatasync", operations: 1) { try file.write(bytes) }
    }

    /// Replaces a file in the same folder by one that has the same bytes as the store's.
    func replacementOfFile() throws -> Workload {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: store.name)))
        let file = ReplacedFile(path: store.name + ".floor")
        return Workload("temporary file, fsync, rename", operations: 1) { try file.replace(with: bytes) }
    }

    private func save() throws {
        number += 1
        defaults[key] = number
        try store.synchronize()
    }

    /// As many bytes as a change writes.
    private func writtenBytes() throws -> [UInt8] {
        // The least of several, because a checkpoint in the background writes too.
        let counts = try (0..<5).map { _ in
            let before = WrittenBytes.count
            try save()
            return WrittenBytes.count - before
        }
        // About the size of a record where the system does not count.
        guard let count = counts.filter({ $0 > 0 }).min() else { return [UInt8](repeating: 0x78, count: 100) }
        return [UInt8](repeating: 0x78, count: count)
    }
}

/// What this process has written with system calls.
private enum WrittenBytes {
    /// The number of bytes; 0 where the system does not count them.
    static var count: Int {
        guard let counts = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
            let line = counts.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
