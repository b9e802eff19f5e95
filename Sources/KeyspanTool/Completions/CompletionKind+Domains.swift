import ArgumentParser
import Keyspan

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
                .compactMap { ShellWord.candidate($0, for: CompletionShell.requesting) }
        }
    }
}
