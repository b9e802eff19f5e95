import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A temporary copy of a domain for an editor, in a folder that only the user can open.
///
/// The folder also takes the files that editors leave beside a file, which have the same contents.
struct EditedCopy {
    /// The path of the file.
    let path: String

    /// The contents of the domain that the edited text is compared with.
    private var base: PropertyListTable
    /// The form of the text of the domain's file, which the copy has as well; `nil` if the domain has another form than JSON.
    private let codec: JSONFileCodec?
    /// Whether the text replaces one that another program has changed otherwise than by its values.
    private var replacesText = false
    /// Whether the last text was not saved because another program has changed the same.
    private(set) var isConflict = false
    private let original: [UInt8]
    private let folder: PrivateFolder
    /// The name of the file in its folder.
    private let name: String
    private let fileSystem = InterruptRetryingFileSystem()

    /// Creates the copy, which only the user can read: the text of a JSON file with its comments, and any other domain as JSON.
    ///
    /// From then on the signals that end the command are held, so that it removes the copy first.
    ///
    /// - Parameters:
    ///   - domain: The domain.
    ///   - name: The name of the domain or the path of its file, which editors show.
    /// - Throws: ``ToolError`` if the domain cannot be read, or if the folder for temporary files is not writable.
    init(of domain: Domain, name: String) throws(ToolError) {
        base = try domain.snapshot()
        let text = domain.file?.jsonCodec(for: [])?.encode(base, upTo: .max)?.bytes
        original = text ?? JSONText.encode(base)
        codec = text.flatMap { domain.file?.jsonCodec(for: $0) }
        let place =
            ToolContext.current.variable("TMPDIR")?.text.flatMap { AbsolutePath.isAbsolute($0) ? $0 : nil } ?? "/tmp"
        let parent = "\(place)/keyspan-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let title = String(decoding: name.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
        let isJSON = [.json, .jsonc].contains(DomainFormat(path: title))
        self.name = isJSON ? title : title + ".json"
        path = "\(parent)/\(self.name)"
        func failure(_ error: SystemCallError) -> ToolError {
            .failure(
                "\(parent)/\(title) cannot be written (\(error.text)); set TMPDIR to a folder that you can write to."
            )
        }
        TerminationSignals.hold()
        do throws(SystemCallError) {
            folder = try PrivateFolder(at: parent)
        } catch {
            throw failure(error)
        }
        do throws(SystemCallError) {
            let file = try folder.openFile(self.name, isNew: true)
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
            throw failure(error)
        }
    }

    /// The path of the folder, if it has anything besides the copy: editors that a signal ends rescue a text there.
    var rescue: String? { folder.names.allSatisfy { $0 == OutsideText(name) } ? nil : folder.path }

    /// Whether there is another text than at first, or one that cannot be read.
    var isChanged: Bool {
        if isGone { return false }
        guard let text = try? text() else { return true }
        return text != original
    }

    /// Whether the editor has removed the file.
    private var isGone: Bool { !folder.contains(name) }

    /// Saves what the user has changed, in one step; reports if that is nothing.
    ///
    /// A JSON file gets the edited text, with the values that other programs have changed meanwhile. After a conflict the next call replaces
    /// the values, or the text, that have caused it.
    ///
    /// - Throws: ``ToolError`` with line and column if the text is not the JSON of a domain, with the names of the keys that
    ///   someone else has changed since the copy was made, or if the store rejects the change.
    mutating func save(to domain: Domain) throws(ToolError) {
        isConflict = false
        guard !isGone else {
            throw .failure(
                "The text \(path) is gone, because the editor has removed it, so nothing is saved; edit it again."
            )
        }
        let text = try text()
        let edited = try parsed(text)
        let difference = TableDifference(ofEntriesIn: base, and: edited)
        try HiddenValue.refuse(in: difference.entries.compactMap { edit in edit.new.map { (edit.key, $0) } })
        guard codec == nil ? !difference.entries.isEmpty : text != original else {
            return KeyspanCommand.report("Nothing has changed, so nothing is saved.")
        }
        guard let file = domain.file else { return try save(TableDifference(from: base, to: edited), to: domain) }
        var copy = self
        defer { self = copy }
        try file.rewrite { (present) throws(ToolError) in
            let others = TableDifference(ofEntriesIn: copy.base, and: present)
            // Another program may have made the same change.
            let conflicts = others.entries.filter { other in difference.entries.contains { $0.conflicts(with: other) } }
            guard conflicts.isEmpty else {
                copy.isConflict = true
                for entry in conflicts { copy.base.replaceValue(at: entry.path, by: entry.new) }
                throw Self.conflict(of: conflicts.map(\.key))
            }
            guard let codec else { return difference.applied(to: present) }
            let presentText = codec.encode(present, upTo: .max)?.bytes
            if copy.replacesText || codec.encode(others.applied(to: copy.base), upTo: .max)?.bytes == presentText {
                return others.applied(to: edited)
            }
            if codec.encode(difference.applied(to: copy.base), upTo: .max)?.bytes == text {
                return difference.applied(to: present)
            }
            (copy.replacesText, copy.isConflict) = (true, true)
            throw .failure(
                "The edited text is not saved: another program has changed the text of the file in the meantime, such as a "
                    + "comment; compare the two, and edit the text again to replace it."
            )
        }
    }

    /// Saves the changes of entries of a cluster.
    private mutating func save(_ difference: TableDifference, to domain: Domain) throws(ToolError) {
        var copy = self
        defer { self = copy }
        try domain.write { (table, batch) throws(ToolError) in
            // Another program may have made the same change.
            let pending = difference.entries.filter { table[$0.key] != $0.new }
            let conflicts = pending.filter { table[$0.key] != $0.old }
            guard conflicts.isEmpty else {
                copy.isConflict = true
                for entry in conflicts { copy.base[entry.key] = table[entry.key] }
                throw Self.conflict(of: conflicts.map(\.key))
            }
            for entry in pending {
                batch.expect(entry.old, forKey: entry.key)
                batch.set(entry.new, forKey: entry.key)
            }
        }
    }

    private func parsed(_ text: [UInt8]) throws(ToolError) -> PropertyListTable {
        do {
            return try (codec ?? JSONFileCodec()).decode(text).entriesAlone
        } catch {
            if codec == nil, (try? JSONFileCodec(allowingComments: true).decode(text)) != nil {
                throw .failure(
                    "The edited text is not saved: only a JSON file keeps comments; remove them from the text."
                )
            }
            throw .failure("The edited text is not saved: \(error.underlying)")
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
        let limit = FileStoreLimits().fileSize
        let text: [UInt8]
        do throws(SystemCallError) {
            let file = try folder.openFile(name)
            // The descriptor was only read, so an error in closing it loses nothing.
            defer { try? fileSystem.closeFile(file) }
            guard try fileSystem.status(of: file).kind == .regular else { throw SystemCallError(.open, path, EINVAL) }
            text = try fileSystem.readToEnd(of: file, expecting: 64 * 1024, atMost: limit)
        } catch {
            throw .failure("\(path) cannot be read (\(error.text)); an editor must leave the text in a regular file.")
        }
        guard text.count <= limit else {
            throw .failure("\(FileStoreError.tooLarge(.read, path: path, limit: limit))")
        }
        return text
    }

    /// Removes the copy with everything that the editor has left beside it, or reports what is left.
    ///
    /// - Returns: Whether nothing is left.
    @discardableResult
    func remove() -> Bool {
        do throws(SystemCallError) {
            try folder.remove(first: name)
            return true
        } catch {
            KeyspanCommand.report(
                error.errorNumber == ESTALE
                    ? "\(folder.path) is not the folder of the copy anymore, and stays; remove what is there."
                    : "\(error.path) cannot be removed (\(error.text)); remove \(folder.path), because it shows the values of the "
                        + "domain."
            )
            return false
        }
    }
}
