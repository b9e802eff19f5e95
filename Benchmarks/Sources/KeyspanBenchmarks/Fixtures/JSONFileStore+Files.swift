import Foundation
import Keyspan

extension JSONFileStore {
    /// Makes a file of that many keys, without a journal that has more, and checks it.
    static func makeFile(_ path: String, count: Int) throws {
        // Released at once, which brings everything into the file.
        try JSONFileStore(path: path).apply(Contents.batch(count: count))
        let contents = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))
        guard (contents as? [String: Any])?.count == count else {
            throw BenchmarkError("\(path) does not have the \(count) keys that were written to it")
        }
    }

    /// The path of the journal beside a file, which is the only hidden file there.
    static func journal(ofFileAt path: String) throws -> String {
        let folder = (path as NSString).deletingLastPathComponent
        let hidden = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
        guard hidden.count == 1 else { throw BenchmarkError("\(folder) does not have one journal but \(hidden)") }
        return "\(folder)/\(hidden[0])"
    }
}

extension FileStoreOptions {
    /// Nothing is saved and nothing is folded while a benchmark runs, unless it asks for it.
    static let notInBackground = FileStoreOptions(
        saveDelay: .seconds(3_600),
        journal: .beside(checkpointDelay: .seconds(3_600))
    )
}
