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

    /// Makes a change durable; the change itself is not measured.
    func synchronize(_ name: String, roundLength: Duration? = nil) -> Workload {
        Workload(name, operations: 1, roundLength: roundLength, prepare: change) { [store] in
            try store.synchronize()
        }
    }

    /// Appends as many bytes to a file in the same folder as a change adds to the journal.
    func appendOfRecord() throws -> Workload {
        let before = try journalSize()
        try save()
        let size = try journalSize() - before
        guard size > 0 else { throw BenchmarkError("\(store.name) has no journal that grows with each save") }
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let file = try AppendedFile(path: store.name + ".floor")
        return Workload("append \(size) B, fdatasync", operations: 1) { try file.append(bytes) }
    }

    /// Replaces a file in the same folder by one that has the same bytes as the store's.
    func replacementOfFile() throws -> Workload {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: store.name)))
        let file = ReplacedFile(path: store.name + ".floor")
        return Workload("temporary file, fsync, rename", operations: 1) { try file.replace(with: bytes) }
    }

    private func change() {
        number += 1
        defaults[key] = number
    }

    private func save() throws {
        change()
        try store.synchronize()
    }

    private func journalSize() throws -> Int {
        let journal = try JSONFileStore.journal(ofFileAt: store.name)
        return try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int ?? 0
    }
}
