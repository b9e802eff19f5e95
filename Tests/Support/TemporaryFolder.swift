import Foundation

/// A folder of its own for one test, removed with everything in it when this object goes away.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
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

    /// The path of an item in the folder.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of all items in the folder, hidden ones included, sorted.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    package func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Writes a text to a file, and returns the path of the file.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    package func write(_ bytes: [UInt8], to name: String, permissions: Int = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path(name))
    }

    package func bytes(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    package func text(of name: String) throws -> String {
        String(decoding: try bytes(of: name), as: UTF8.self)
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }
}

/// The actions of editors, other processes and administrators on files, each as one step without a temporary file of
/// Foundation.
extension TemporaryFolder {
    /// Writes a text over a file, as a shell's `>` does.
    package func overwrite(_ name: String, _ text: String) throws {
        try write(text, to: name, O_WRONLY | O_CREAT | O_TRUNC)
    }

    /// Writes a text to the end of a file.
    package func append(_ text: String, to name: String) throws {
        try write(text, to: name, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Writes a text to another file, which then takes the place of a file, as most editors do.
    package func replace(_ name: String, _ text: String) throws {
        try overwrite("\(name).new", text)
        try rename("\(name).new", to: name)
    }

    /// Puts a link in the place of another one in one step, as Kubernetes does.
    package func replaceLink(_ name: String, to target: String) throws {
        try link("\(name)_tmp", to: target)
        try rename("\(name)_tmp", to: name)
    }

    package func rename(_ name: String, to newName: String) throws {
        try check(Foundation.rename(path(name), path(newName)))
    }

    private func write(_ text: String, to name: String, _ flags: Int32) throws {
        let descriptor = try check(open(path(name), flags | O_CLOEXEC, 0o600))
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let count = try check(Foundation.write(descriptor, bytes, bytes.count))
        precondition(count == bytes.count, "only \(count) of \(bytes.count) bytes of \(name) were written")
    }
}

/// Returns the result of a system call.
///
/// - Throws: `POSIXError` if it is negative.
@discardableResult
package func check<Number: SignedInteger>(_ result: Number) throws -> Number {
    guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return result
}
