import ArgumentParser
import Keyspan
import KeyspanCore
import KeyspanFileStore

extension CompletionKind {
    /// Domains: names, and the paths of files.
    static let domain = completing { request in domains(for: request.prefix) }

    /// The keys of the domain in the words before.
    static let key = completing { request in keys(ofDomain: request.operands.first, for: request.prefix) }

    /// The keys with kept values.
    static let keptKey = completing(afterCommands: 2) { request in
        let kept = request.operands.first.flatMap { try? localDomain($0)?.keptValues() } ?? []
        return Set<UTF8Text>(kept.map(\.value.key)).sortedTexts()
    }

    /// The words of `write`: a domain, a key, and a value with an option for its kind.
    static let writeWord = completing { request in
        switch request.words.count {
        case 0: domains(for: request.prefix)
        case 1: keys(ofDomain: request.words[0], for: request.prefix)
        case 2: ValueType.allCases.flatMap(\.options) + ["--stdin"]
        case 3 where request.words[2] == "-" || request.words[2] == "--stdin":
            ValueType.allCases.filter(\.isScalar).flatMap(\.options)
        default: request.words.last.flatMap(ValueType.init(option:)) == .boolean ? ["true", "false"] : []
        }
    }

    private static func domains(for prefix: String) -> [String] {
        DomainCandidates(folder: try? DomainFolder(), marksFolders: CompletionShell.requesting != .bash)
            .texts(for: prefix)
    }

    /// The keys of a domain, and the nested names behind a prefix that ends in or after a dot.
    ///
    /// There are none if the domain cannot be read, because a completion reports no errors.
    private static func keys(ofDomain argument: String?, for prefix: String) -> [String] {
        guard let argument, let members = try? localDomain(argument)?.snapshot() else { return [] }
        return members.dictionary.sortedByName().flatMap { name, value in
            [name] + (prefix.hasUTF8Prefix(name + ".") ? NestedName.names(below: name, of: value) : [])
        }
    }

    /// The domain of an argument; `nil` for a prefix of a cluster, which may take seconds to answer.
    private static func localDomain(_ argument: String) throws(ToolError) -> Domain? {
        let domain = try Domain(argument: argument, in: DomainFolder(), for: .completing)
        return domain.file == nil ? nil : domain
    }

    /// Candidates that begin like the word, found when the shell asks and escaped for it.
    private static func completing(
        afterCommands commands: Int = 1,
        _ candidates: @escaping @Sendable (CompletionRequest) -> [String]
    ) -> CompletionKind {
        .custom { line, index, prefix in
            let request = CompletionRequest(line: line, index: index, prefix: prefix, commands: commands)
            // A report would appear within the command line.
            var context = ToolContext.current
            context.error = -1
            return ToolContext.$current.withValue(context) { candidates(request) }.filter {
                $0.hasUTF8Prefix(request.prefix)
            }
            .compactMap { ShellWord.candidate($0, for: CompletionShell.requesting, within: request.quote) }
        }
    }
}

/// The domains that complete a word: names, and paths of files.
struct DomainCandidates {
    /// The folder of named domains, if there is one.
    let folder: DomainFolder?
    /// Whether folders get a trailing slash; bash adds its own.
    var marksFolders = true

    private let fileSystem = InterruptRetryingFileSystem()

    /// The domains with a prefix: first those with a name, then files and folders.
    ///
    /// An unreadable folder has no candidates.
    func texts(for prefix: String) -> [String] {
        ((try? folder?.domains().map(\.name)) ?? []).filter { $0.hasUTF8Prefix(prefix) } + paths(for: prefix)
    }

    private func paths(for prefix: String) -> [String] {
        // By bytes, like the system: a slash forms one `Character` with a following combining mark.
        let end = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map(prefix.utf8.index(after:)) ?? prefix.startIndex
        let (place, beginning) = (String(prefix[..<end]), String(prefix[end...]))
        let names = (try? fileSystem.names(inFolder: place.isEmpty ? "." : place)) ?? []
        return names.sorted { $0.utf8Precedes($1) }.compactMap { (name) -> String? in
            // Hidden files only after a typed dot.
            guard name.hasUTF8Prefix(beginning), !name.hasUTF8Prefix(".") || beginning.hasUTF8Prefix(".") else {
                return nil
            }
            let path = place + name
            if isFolder(path) {
                // Before anything is typed, folders would hide the names of domains.
                return prefix.isEmpty ? nil : path + (marksFolders ? "/" : "")
            }
            return DomainFormat(path: name) == nil || name.hasUTF8Prefix("-") ? nil : path
        }
    }

    private func isFolder(_ path: String) -> Bool {
        (try? fileSystem.resolve(fileSystem.absolutePath(of: path)))?.status?.kind == .folder
    }
}
