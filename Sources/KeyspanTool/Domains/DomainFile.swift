import Keyspan
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

/// The file of a domain.
struct DomainFile: Equatable {
    /// The path, which determines the format: JSON unless it ends in `.plist`.
    @UTF8Text private(set) var path: String

    /// Makes the file of a path.
    init(path: String) {
        self.path = path
    }

    /// Whether there is the file, or a journal of a file that does not exist yet.
    ///
    /// A path that cannot be examined counts as a file, so that the error appears when it is opened.
    var isStored: Bool {
        let journal = AbsolutePath(path, relativeTo: ".").journal.text
        return [path, journal].contains { item in
            do throws(SystemCallError) {
                _ = try InterruptRetryingFileSystem().status(ofItemAt: item)
                return true
            } catch {
                return !error.isNotFound
            }
        }
    }

    /// Whether the path leads to something, through links.
    ///
    /// - Throws: ``ToolError`` if that cannot be found out.
    func exists() throws(ToolError) -> Bool {
        let fileSystem = InterruptRetryingFileSystem()
        do {
            return try fileSystem.resolve(fileSystem.absolutePath(of: path)).status != nil
        } catch {
            throw .failure("\(path) cannot be found (\(error.text)); make its folder readable.")
        }
    }

    /// The form of the texts of the file if it is JSON; `nil` for a property list.
    ///
    /// - Parameter text: The present text, which may have comments although its name does not say so.
    func jsonCodec(for text: [UInt8] = []) -> JSONFileCodec? {
        switch DomainFormat(path: path) {
        case .plist?: return nil
        case .jsonc?: return JSONFileCodec(allowingComments: true)
        case .json?, nil:
            let isPlain = text.isEmpty || (try? JSONFileCodec().decode(text)) != nil
            return JSONFileCodec(allowingComments: !isPlain)
        }
    }

    /// The purpose for which a command opens the file.
    enum Purpose {
        /// Reading it, if necessary without the lock.
        case reading
        /// Reading it, and notifying observers of writes by other processes.
        case watching
        /// Writing it.
        case writing
        /// Writing values that it had: nested only in what is left of the dictionaries around them.
        case restoring
    }

    /// Opens the store of the file; creates nothing.
    ///
    /// It has no journal: a command must not leave a file beside the domain's, and `watch` must not write, not even to checkpoint
    /// another program's journal.
    ///
    /// - Parameters:
    ///   - names: The keys that are read and written where the file nests them.
    ///   - purpose: What for. A reader waits for the lock for a second, because a person may look for the reason why a program holds it.
    /// - Throws: ``ToolError`` if the file is unusable, or if it is read-only and opened for writing.
    func open(reaching names: [String] = [], for purpose: Purpose = .reading) throws(ToolError) -> any FileStore {
        // Durable at once, so that a batch's expectations are compared with the writes of all processes.
        var options = FileStoreOptions(
            durability: .everyBatch,
            journal: .none,
            isWatching: purpose == .watching,
            comments: .inAllFiles
        )
        switch purpose {
        case .reading: options.lockTimeout = .seconds(1)
        case .watching: break
        case .writing, .restoring: try refuseReadOnly()
        }
        let nested = names.compactMap { NestedName($0) }
        if nested.isEmpty { return try open(entries: [], &options, for: purpose) }
        let members = try open(entries: [], &options, for: purpose).snapshot()
        let isNested = nested.contains { name in
            purpose == .restoring ? name.isInGroup(of: members) : name.isNested(besides: members.dictionary)
        }
        options.nesting.newKeys = isNested ? .nested : .flat
        return try open(entries: names, &options, for: purpose)
    }

    private func refuseReadOnly() throws(ToolError) {
        let fileSystem = InterruptRetryingFileSystem()
        // The store reports a file that cannot be found.
        try (try? fileSystem.resolve(fileSystem.absolutePath(of: path)))?.status?.refuseReadOnly(named: path)
    }

    /// Replaces the contents of the file in one step, by entries and not by names, which could lead into one another; the file keeps the
    /// values that are removed or replaced.
    ///
    /// - Parameter edit: Makes the new contents from the present ones, with the text of those that are given to it or of others; `nil`
    ///   leaves the file as it is.
    /// - Returns: The values that are kept.
    /// - Throws: ``ToolError`` if the edit throws, or if the file is unusable.
    @discardableResult
    func rewrite(
        _ edit: (PropertyListTable) throws(ToolError) -> PropertyListTable?
    ) throws(ToolError) -> ReplacedValues {
        let store = try open(for: .writing)
        defer { withExtendedLifetime(store) {} }
        var refusal: ToolError?
        var (changes, replaced) = (PropertyListBatch(), ReplacedValues())
        do throws(FileStoreError) {
            _ = try store.engine.replaceText { present in
                do throws(ToolError) {
                    (refusal, changes, replaced) = (nil, PropertyListBatch(), ReplacedValues())
                    guard var edited = try edit(present.entriesAlone) else { return nil }
                    try check(edited)
                    for key in present.entriesAlone.keysOfDifference(to: edited).sorted() {
                        changes.remove(key.wrappedValue)
                    }
                    replaced = ReplacedValues(from: present, to: edited, isNested: true)
                    replaced.keep(in: &edited)
                    return edited
                } catch {
                    refusal = error
                    return nil
                }
            }
        } catch {
            throw .failure("\(StoreError.failed(.notApplied, error, store: path).naming(changes))")
        }
        if let refusal { throw refusal }
        replaced.reportLoss(in: path)
        return replaced
    }

    /// Throws for names and values that no store has.
    private func check(_ table: PropertyListTable) throws(ToolError) {
        var batch = PropertyListBatch()
        for (key, value) in table { batch.set(value, forKey: key) }
        var empty = PropertyListTable([:])
        do throws(StoreError) {
            _ = try empty.apply(batch, store: path)
        } catch {
            throw .failure("\(error)")
        }
    }

    private func open(
        entries names: [String],
        _ options: inout FileStoreOptions,
        for purpose: Purpose
    ) throws(ToolError) -> any FileStore {
        do throws(FileStoreError) {
            switch DomainFormat(path: path) {
            case .json?, .jsonc?, nil: return try JSONFileStore(path: path, nesting: names, options: options)
            case .plist?: return try PropertyListFileStore(path: path, nesting: names, options: options)
            }
        } catch let error where error.isTimeout && purpose == .reading && options.locksToRead {
            options.locksToRead = false
            KeyspanCommand.report(
                "Another process has had \(path) locked for \(options.lockTimeout), so it is read without the lock; a change that "
                    + "this process is making may be missing."
            )
        } catch {
            throw .failure("\(error)")
        }
        return try open(entries: names, &options, for: purpose)
    }
}

extension FileStatus {
    /// Throws for a file that nobody has the permission to write: people take it away to keep a file as it is.
    ///
    /// The system would permit it, because the file is replaced and not written to.
    func refuseReadOnly(named name: String) throws(ToolError) {
        guard kind == .regular, permissions & 0o222 == 0 else { return }
        throw .failure(
            "\(name) is read-only (mode 0\(String(permissions, radix: 8))) and stays as it is; `chmod u+w` makes it writable."
        )
    }
}

/// The formats of domain files, determined by the ends of their paths.
enum DomainFormat: String, CaseIterable {
    case json, jsonc, plist

    /// The format of a file; `nil` for any other path.
    init?(path: String) {
        guard let format = Self.allCases.first(where: { path.hasUTF8Suffix($0.pathExtension) }) else { return nil }
        self = format
    }

    /// The end of the files' paths.
    var pathExtension: String { ".\(rawValue)" }
}
