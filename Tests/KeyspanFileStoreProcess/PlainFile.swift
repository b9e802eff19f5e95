package import KeyspanCore
import KeyspanFileStore

/// A settings file as a program sees it that does not know of stores.
package enum PlainFile {
    /// Reads it; `nil` if there is none.
    package static func read(_ path: String) throws -> PropertyListTable? {
        let fileSystem = InterruptRetryingFileSystem(POSIXFileSystem())
        let file: OpenFile
        do {
            file = try fileSystem.openFile(path, for: .reading)
        } catch {
            if error.errorNumber == ENOENT { return nil }
            throw error
        }
        defer { try? fileSystem.closeFile(file) }
        var bytes: [UInt8] = []
        while true {
            let next = try fileSystem.readBytes(from: file, atMost: 1 << 16)
            if next.isEmpty { return try JSONText.parseTable(bytes) }
            bytes += next
        }
    }

    /// Writes a new version as editors do: to a file of its own that is renamed over the old one.
    static func replace(_ path: String, with table: PropertyListTable) throws {
        let fileSystem = InterruptRetryingFileSystem(POSIXFileSystem())
        let file = try fileSystem.openFile(path + ".edited", for: .creating)
        var rest = JSONText.encode(table)[...]
        while !rest.isEmpty { rest = rest.dropFirst(try fileSystem.writeBytes(rest, to: file)) }
        try fileSystem.closeFile(file)
        try fileSystem.renameFile(path + ".edited", to: path)
    }
}
