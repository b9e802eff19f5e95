import Foundation

/// A folder for the files of one run, in the system's folder for temporary files (`TMPDIR` names another).
struct TemporaryFolder {
    private let url: URL

    /// Makes the folder.
    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "keyspan-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of a file that does not exist yet, in a folder of its own that does.
    func newFile() throws -> String {
        let folder = url.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "settings.json").path
    }

    /// Removes the folder with all that is in it; says so if it cannot.
    func remove() {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            FileHandle.standardError.write(Data("cannot remove \(url.path): \(error); remove it by hand.\n".utf8))
        }
    }
}
