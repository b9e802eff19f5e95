import KeyspanFileStore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of its own for one test, removed with everything in it when this object goes away.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "keyspan-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of all items in the folder, hidden ones included.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func write(_ bytes: [UInt8], to name: String, permissions: Int = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path(name))
    }

    func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }
}

/// The actions of editors, other processes and administrators on files, each as one step without a helper of Foundation.
extension TemporaryFolder {
    /// Writes a text over a file, as a shell's `>` does.
    func overwrite(_ name: String, _ text: String) throws {
        try write(text, to: name, O_WRONLY | O_CREAT | O_TRUNC)
    }

    /// Writes a text to the end of a file.
    func append(_ text: String, to name: String) throws {
        try write(text, to: name, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Writes a text to another file, which then takes the place of a file, as most editors do.
    func replace(_ name: String, _ text: String) throws {
        try overwrite("\(name).new", text)
        try rename("\(name).new", to: name)
    }

    /// Puts a link in the place of another one in one step, as Kubernetes does.
    func replaceLink(_ name: String, to target: String) throws {
        try link("\(name)_tmp", to: target)
        try rename("\(name)_tmp", to: name)
    }

    func rename(_ name: String, to newName: String) throws {
        try POSIXFileSystem().renameFile(path(name), to: path(newName))
    }

    private func write(_ text: String, to name: String, _ flags: Int32) throws {
        let descriptor = open(path(name), flags | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0, "\(name)")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(KeyspanFileStoreTests.write(descriptor, bytes, bytes.count) == bytes.count)
    }
}
