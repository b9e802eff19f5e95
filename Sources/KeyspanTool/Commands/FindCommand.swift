import ArgumentParser
import Keyspan

/// `find`: prints the entries of all domains that have a word in them.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the entries of all domains whose key or value contains a word.",
        discussion: "Upper and lower case are the same. Names and values inside arrays and dictionaries count, too."
    )

    @Argument(help: "The word.")
    var word: String

    func run() throws {
        let survey = try DomainSurvey(of: DomainFolder())
        let writer = OldStyleWriter(style: StandardStream.output.style)
        let search = WordSearch(word)
        var isFound = false
        for (domain, table) in survey.tables {
            let entries = table.dictionary.filter { search.matches(key: $0.key, value: $0.value) }
            guard !entries.isEmpty else { continue }
            isFound = true
            try StandardStream.output.writeLine(
                "Found \(entries.count) \(entries.count == 1 ? "key" : "keys") in domain "
                    + "'\(writer.style.domain(domain.name))': "
                    + writer.text(of: .dictionary(entries))
            )
        }
        try survey.throwFailures()
        guard isFound else {
            throw ToolError.failure("No key or value contains \(word.debugDescription); try a part of the word.")
        }
    }
}
