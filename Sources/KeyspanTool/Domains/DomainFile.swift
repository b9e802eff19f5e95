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
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        let journal = "\(path[..<end]).\(path[end...]).journal"
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

    /// Opens the store of the file; creates nothing.
    ///
    /// It has no journal: a command must not leave a file beside the domain's, and `watch` must not write, not even to checkpoint
    /// another program's journal.
    ///
    /// - Parameters:
    ///   - names: The keys that are read and written where the file nests them.
    ///   - isWatching: Whether observers are notified of writes by other processes.
    /// - Throws: ``ToolError`` if the file is unusable.
    func open(reaching names: [String] = [], isWatching: Bool = false) throws(ToolError) -> any FileStore {
        let nested = names.compactMap { NestedName($0) }
        if nested.isEmpty { return try open(entries: [], FileStoreOptions.Nesting(), isWatching: isWatching) }
        let members = try open().snapshot()
        var nesting = FileStoreOptions.Nesting()
        nesting.newKeys = nested.contains { $0.isNested(besides: members.dictionary) } ? .nested : .flat
        return try open(entries: names, nesting, isWatching: isWatching)
    }

    /// Replaces the contents of the file in one step, by entries and not by names, which could lead into one another.
    ///
    /// - Parameter edit: Makes the new contents from the present ones, with the text of those that are given to it or of others; `nil`
    ///   leaves the file as it is.
    /// - Throws: ``ToolError`` if the edit throws, or if the file is unusable.
    func rewrite(_ edit: (PropertyListTable) throws(ToolError) -> PropertyListTable?) throws(ToolError) {
        let store = try open()
        defer { withExtendedLifetime(store) {} }
        var refusal: ToolError?
        var changes = PropertyListBatch()
        do throws(FileStoreError) {
            _ = try store.engine.replaceText { present in
                do throws(ToolError) {
                    (refusal, changes) = (nil, PropertyListBatch())
                    guard let edited = try edit(present.entriesAlone) else { return nil }
                    try check(edited)
                    for key in present.entriesAlone.keysOfDifference(to: edited).sorted() {
                        changes.remove(key.wrappedValue)
                    }
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
        _ nesting: FileStoreOptions.Nesting,
        isWatching: Bool
    ) throws(ToolError) -> any FileStore {
        // Durable at once, so that a batch's expectations are compared with the writes of all processes.
        let options = FileStoreOptions(
            durability: .everyBatch,
            journal: .none,
            isWatching: isWatching,
            nesting: nesting,
            comments: .inAllFiles
        )
        do {
            switch DomainFormat(path: path) {
            case .json?, .jsonc?, nil: return try JSONFileStore(path: path, nesting: names, options: options)
            case .plist?: return try PropertyListFileStore(path: path, nesting: names, options: options)
            }
        } catch {
            throw .failure("\(error)")
        }
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
