import KeyspanFileStore
import Testing

/// What editors, other processes and administrators do to files, each as one step without a helper of Foundation between.
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
