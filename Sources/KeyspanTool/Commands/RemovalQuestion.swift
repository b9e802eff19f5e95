import Keyspan

/// The question before a command removes all entries of a prefix of a cluster, which may be those of several programs.
///
/// A file has no such question: it is that of one program, and is named as a whole.
enum RemovalQuestion {
    /// Asks, unless an entry stays or nothing is removed.
    ///
    /// - Parameters:
    ///   - domain: The domain.
    ///   - entries: The new contents.
    ///   - consent: How to agree without a terminal, as a clause.
    /// - Throws: ``ToolError`` if the answer is no, and with status 64 without a terminal to ask on.
    static func ask(
        about domain: Domain,
        replacedBy entries: PropertyListDictionary = [:],
        consent: String
    ) throws(ToolError) {
        guard domain.file == nil else { return }
        // A domain that is deleted need not be read to refuse this.
        guard !entries.isEmpty || TerminalQuestion.isPossible else { throw refusal(domain, consent) }
        let present = try domain.snapshot()
        // Without the reference to a schema and the library's own records, which stay in any case.
        let removed = present.sortedKeys.filter { [kept = present.replaced(by: [:])] in kept[$0] == nil }
        let count = removed.count
        let staying = removed.count { entries[$0] != nil }
        guard count > 0, staying == 0 else { return }
        guard TerminalQuestion.isPossible else { throw refusal(domain, consent) }
        let question =
            "Remove \(count == 1 ? "1 entry" : "all \(count) entries") of \(ControlCharacters.escaped(in: domain.name.quoted))?"
        guard try TerminalQuestion.isAffirmed(question, byDefault: false) else {
            throw .failure("Nothing is removed; \(consent).")
        }
    }

    private static func refusal(_ domain: Domain, _ consent: String) -> ToolError {
        .usage("All entries of \(domain.name.quoted) would be removed, and there is no terminal to ask on; \(consent).")
    }
}
