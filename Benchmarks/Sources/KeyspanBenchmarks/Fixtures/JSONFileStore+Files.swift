import Foundation
import Keyspan

extension JSONFileStore {
    /// Makes a file of that many keys, without a journal beside it, and checks it.
    static func makeFile(_ path: String, count: Int) throws {
        // Released at once, which brings everything into the file.
        try JSONFileStore(path: path).apply(Contents.batch(count: count))
        for companion in try hiddenFiles(besideFileAt: path) {
            try FileManager.default.removeItem(atPath: companion)
        }
        let contents = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))
        guard (contents as? [String: Any])?.count == count else {
            throw BenchmarkError("\(path) does not have the \(count) keys that were written to it")
        }
    }

    /// Gives other values to keys of a file, which leaves a journal that tells what its version before was.
    static func addHistory(toFileAt path: String, count: Int) throws {
        var batch = PropertyListBatch()
        // No more, because a large change is not kept.
        for index in 0..<min(count, 1_000) {
            batch.set(Contents.value(index + 4), forKey: Contents.name(index))
        }
        try JSONFileStore(path: path).apply(batch)
    }

    /// The path of the journal beside a file, which is the only hidden file there.
    static func journal(ofFileAt path: String) throws -> String {
        let hidden = try hiddenFiles(besideFileAt: path)
        guard hidden.count == 1 else { throw BenchmarkError("\(path) does not have one journal but \(hidden)") }
        return hidden[0]
    }

    private static func hiddenFiles(besideFileAt path: String) throws -> [String] {
        let folder = (path as NSString).deletingLastPathComponent
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
            .map { "\(folder)/\($0)" }
    }
}

extension FileStoreOptions {
    /// Nothing is saved and nothing is folded while a benchmark runs, unless it asks for it.
    static let notInBackground = FileStoreOptions(
        saveDelay: .seconds(3_600),
        journal: .beside(checkpointDelay: .seconds(3_600))
    )
}
