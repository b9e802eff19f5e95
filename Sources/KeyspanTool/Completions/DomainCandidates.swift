import KeyspanCore
import KeyspanFileStore

/// The domains that a word may become: names, and paths of files.
struct DomainCandidates {
    /// Where domains with a name are, if there is a place.
    let folder: DomainFolder?
    /// Whether folders are offered with a slash at their end; bash adds its own.
    var marksFolders = true

    private let fileSystem = InterruptRetryingFileSystem()

    /// The domains that begin so: those that have a name, then the files and folders beside the prefix.
    ///
    /// A folder that cannot be read has no candidates.
    func texts(for prefix: String) -> [String] {
        ((try? folder?.domains().map(\.name)) ?? []).filter { $0.hasUTF8Prefix(prefix) } + paths(for: prefix)
    }

    private func paths(for prefix: String) -> [String] {
        // By bytes, as the system sees it: with a combining character behind it a slash is not a `Character` of its own.
        let end = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map(prefix.utf8.index(after:)) ?? prefix.startIndex
        let (place, beginning) = (String(prefix[..<end]), String(prefix[end...]))
        let names = (try? fileSystem.names(inFolder: place.isEmpty ? "." : place)) ?? []
        return names.sorted { $0.utf8Precedes($1) }.compactMap { (name) -> String? in
            // Hidden ones are for those who ask for them.
            guard name.hasUTF8Prefix(beginning), !name.hasUTF8Prefix(".") || beginning.hasUTF8Prefix(".") else {
                return nil
            }
            let path = place + name
            if isFolder(path) {
                // Where nothing is typed yet, the names of domains are not to be lost among folders.
                return prefix.isEmpty ? nil : path + (marksFolders ? "/" : "")
            }
            return DomainFormat(path: name) == nil || name.hasUTF8Prefix("-") ? nil : path
        }
    }

    private func isFolder(_ path: String) -> Bool {
        (try? fileSystem.resolve(fileSystem.absolutePath(of: path)))?.status?.kind == .folder
    }
}
