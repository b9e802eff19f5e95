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
        let names = (try? folder?.domains().map(\.name)) ?? []
        return names.filter { $0.utf8.starts(with: prefix.utf8) } + paths(for: prefix)
    }

    private func paths(for prefix: String) -> [String] {
        let slash = prefix.utf8.lastIndex(of: UInt8(ascii: "/"))
        let place = slash.map { String(Substring(prefix.utf8[...$0])) } ?? ""
        let beginning = prefix.utf8.dropFirst(place.utf8.count)
        let dot = UInt8(ascii: ".")
        let names = (try? fileSystem.names(inFolder: place.isEmpty ? "." : place)) ?? []
        return names.sorted().compactMap { (name) -> String? in
            // Hidden ones are for those who ask for them.
            let isShown = name.utf8.first != dot || beginning.first == dot
            guard isShown, name.utf8.starts(with: beginning) else { return nil }
            let path = place + name
            if isFolder(path) {
                // Where nothing is typed yet, the names of domains are not to be lost among folders.
                return prefix.isEmpty ? nil : path + (marksFolders ? "/" : "")
            }
            return DomainFormat(path: name) == nil || name.utf8.first == UInt8(ascii: "-") ? nil : path
        }
    }

    private func isFolder(_ path: String) -> Bool {
        (try? fileSystem.resolve(fileSystem.absolutePath(of: path)))?.status?.kind == .folder
    }
}
