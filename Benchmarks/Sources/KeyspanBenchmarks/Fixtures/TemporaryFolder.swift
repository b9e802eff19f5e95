import Foundation
import Synchronization

/// A folder for the files of one run, in the system's folder for temporary files (`TMPDIR` names another).
struct TemporaryFolder {
    private let url: URL

    /// Makes the folder.
    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "keyspan-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of a file that does not exist yet, in a folder of its own that does.
    func newFile() throws -> String { "\(try newFolder())/settings.json" }

    /// The path of an empty folder.
    func newFolder() throws -> String {
        let folder = url.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    /// Removes the folder with all that is in it when the process ends; says so if it cannot.
    ///
    /// Called before the first store is made, because a store that is still there then saves its file, and handlers of the
    /// end run in the opposite order.
    func removeAtExit() {
        Self.removed.withLock { $0.append(url) }
        _ = Self.removal
    }

    private static let removed = Mutex<[URL]>([])

    private static let removal: Void = {
        atexit {
            for url in TemporaryFolder.removed.withLock({ $0 }) {
                do {
                    try FileManager.default.removeItem(at: url)
                } catch {
                    let line = "cannot remove \(url.path): \(error); remove it by hand.\n"
                    FileHandle.standardError.write(Data(line.utf8))
                }
            }
        }
    }()
}
