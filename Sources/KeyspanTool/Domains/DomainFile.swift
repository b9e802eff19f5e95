import Keyspan
import KeyspanCore
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
