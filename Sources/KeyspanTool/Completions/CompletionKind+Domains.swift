import ArgumentParser
import Keyspan
import KeyspanCore
import KeyspanFileStore

extension CompletionKind {
    /// Domains: names, and the paths of files.
    static let domain = completing { request in domains(for: request.prefix) }

    /// The keys of the domain that is named before.
    static let key = completing { request in keys(ofDomain: request.operands.first) }

    /// The keys of which the domain keeps values.
    static let keptKey = completing(afterCommands: 2) { request in
        let kept = request.operands.first.flatMap { try? Domain(argument: $0, in: DomainFolder()).keptValues() } ?? []
        return Set<UTF8Text>(kept.map(\.value.key)).sortedTexts()
    }

    /// What `write` takes: a domain, a key, and a value with an option for its kind.
    static let writeWord = completing { request in
        switch request.words.count {
        case 0: domains(for: request.prefix)
        case 1: keys(ofDomain: request.words[0])
        case 2: ValueType.allCases.flatMap(\.options)
        default: request.words.last.flatMap(ValueType.init(option:)) == .boolean ? ["true", "false"] : []
        }
    }

    private static func domains(for prefix: String) -> [String] {
        DomainCandidates(folder: try? DomainFolder(), marksFolders: CompletionShell.requesting != .bash)
            .texts(for: prefix)
    }

    /// The keys of a domain; none if it cannot be read, since nobody has asked for a report yet.
    private static func keys(ofDomain argument: String?) -> [String] {
        guard let argument else { return [] }
        return (try? Domain(argument: argument, in: DomainFolder()).snapshot())?.sortedKeys ?? []
    }

    /// Candidates that are found when the shell asks, with the beginning that the word has, as the shell has to be given them.
    private static func completing(
        afterCommands commands: Int = 1,
        _ candidates: @escaping @Sendable (CompletionRequest) -> [String]
    ) -> CompletionKind {
        .custom { line, index, prefix in
            let request = CompletionRequest(line: line, index: index, prefix: prefix, commands: commands)
            return candidates(request).filter { $0.hasUTF8Prefix(request.prefix) }
                .compactMap { ShellWord.candidate($0, for: CompletionShell.requesting, within: request.quote) }
        }
    }
}

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
