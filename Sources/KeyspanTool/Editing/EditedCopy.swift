import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// A temporary copy of a domain for an editor, in a folder that only the user can open.
///
/// The folder also takes the files that editors leave beside a file, which have the same contents.
struct EditedCopy {
    /// The path of the file.
    let path: String

    /// The contents of the domain that the edited text is compared with.
    private var base: PropertyListTable
    private let original: [UInt8]
    private let folder: String
    private let fileSystem = InterruptRetryingFileSystem()

    /// Creates the copy, which only the user can read, as JSON.
    ///
    /// - Parameters:
    ///   - table: The contents.
    ///   - name: The name of the domain or the path of its file, which editors show.
    /// - Throws: ``ToolError`` if the folder for temporary files is not writable.
    init(of table: PropertyListTable, name: String) throws(ToolError) {
        base = table
        original = JSONText.encode(table)
        let place =
            ToolContext.current.variable("TMPDIR")?.text.flatMap { AbsolutePath.isAbsolute($0) ? $0 : nil } ?? "/tmp"
        folder = "\(place)/keyspan-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let title = String(decoding: name.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
        path = "\(folder)/\(title.hasUTF8Suffix(".json") ? title : title + ".json")"
        do throws(SystemCallError) {
            try fileSystem.makeFolder(folder, permissions: 0o700)
            let file = try fileSystem.openFile(path, for: .creating)
            do throws(SystemCallError) {
                try fileSystem.writeAll(original, to: file)
            } catch {
                // The first failure is the one to report.
                try? fileSystem.closeFile(file)
                throw error
            }
            try fileSystem.closeFile(file)
        } catch {
            remove()
            throw .failure("\(path) cannot be written (\(error.text)); set TMPDIR to a folder that you can write to.")
        }
    }

    /// Whether the text is another one than at first, or cannot be read.
    var isChanged: Bool {
        guard let text = try? text() else { return true }
        return text != original
    }

    /// Saves the keys that the user has changed, in one batch; reports if there are none.
    ///
    /// After a conflict the next call replaces the values that have caused it.
    ///
    /// - Throws: ``ToolError`` with line and column if the text is not the JSON of a domain, with the names of the keys that
    ///   someone else has changed since the copy was made, or if the store rejects the batch.
    mutating func save(to domain: Domain) throws(ToolError) {
        let text = try text()
        var edited: PropertyListTable
        do {
            edited = try JSONText.parseTable(text)
            edited.naming = base.naming
        } catch {
            throw .failure("The edited text is not saved: \(error)")
        }
        let difference =
            domain.file == nil
            ? TableDifference(from: base, to: edited) : TableDifference(insideOf: base, and: edited)
        guard !difference.entries.isEmpty else {
            return try KeyspanCommand.report("Nothing has changed, so nothing is saved.")
        }
        var base = base
        defer { self.base = base }
        let paths = difference.entries.filter { $0.path.count > 1 }
        try domain.write(reaching: paths.map(\.key)) { (table, batch) throws(ToolError) in
            // Another program may have made the same change.
            let pending = difference.entries.filter { table[$0.key] != $0.new }
            let conflicts = pending.filter { table[$0.key] != $0.old }
            guard conflicts.isEmpty else {
                for entry in conflicts { base.replaceValue(at: entry.path, by: table[entry.key]) }
                throw Self.conflict(of: conflicts.map(\.key))
            }
            for entry in pending {
                batch.expect(entry.old, forKey: entry.key)
                batch.set(entry.new, forKey: entry.key)
            }
        }
    }

    private static func conflict(of keys: [String]) -> ToolError {
        .failure(
            "The edited text is not saved: another program has changed \(keys.count == 1 ? "the key" : "the keys") "
                + "\(keys.map(\.quoted).joined(separator: ", ")) in the meantime; read the new values with "
                + "`keyspan read`, and edit the text again to replace them."
        )
    }

    private func text() throws(ToolError) -> [UInt8] {
        try DocumentFile(argument: path).read()
    }

    /// Removes the copy with everything that the editor has left beside it.
    ///
    /// A failure is not reported, because the domain is saved by then; only the user can read the remains.
    func remove() {
        for name in (try? fileSystem.names(inFolder: folder)) ?? [] {
            try? fileSystem.removeFile("\(folder)/\(name)")
        }
        try? fileSystem.removeFolder(folder)
    }
}
