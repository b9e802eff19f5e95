import ArgumentParser
import Keyspan

/// `find`: prints the entries of all domains that contain a word.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the entries of all domains whose key or value contains a word.",
        discussion: """
            Case is ignored. Names and values inside arrays and dictionaries are searched, too, and so are the paths of nested \
            names, such as tls.port. JSON is an object with an object of the entries for each domain.

            \(SecretOptions.discussion) A hidden value is not searched.
            """
    )

    @Argument(help: "The word.")
    var word: String

    @Option(name: .format, help: "The format.")
    var output = LineFormat.text

    @OptionGroup var secrets: SecretOptions

    func run() throws {
        var survey = try DomainSurvey(of: DomainFolder())
        try survey.hideSecrets(by: secrets.policy())
        let search = WordSearch(word)
        let found = survey.tables.map { domain, table in
            (domain, table.dictionary.filter { search.matches(key: $0.key, value: $0.value) })
        }.filter { !$0.1.isEmpty }
        switch output {
        case .text:
            let writer = OldStyleWriter(style: StandardStream.output.style)
            for (domain, entries) in found {
                try StandardStream.output.writeLine(
                    "Found \(entries.count) \(entries.count == 1 ? "key" : "keys") in domain "
                        + "'\(ControlCharacters.escaped(in: domain.name))': " + writer.text(of: .dictionary(entries))
                )
            }
        case .json:
            let domains = found.map { (key: $0.0.name, value: PropertyListValue.dictionary($0.1)) }
            let document = Document.domain(PropertyListTable(PropertyListDictionary(domains)))
            try ExportFormat.json.write(secrets.showSecrets ? document : document.forPrograms, to: .output)
        }
        try survey.throwFailures()
        guard !found.isEmpty else {
            throw ToolError.absent("No key or value contains \(word.quoted); try a part of the word.")
        }
    }
}

/// `domains`: prints the names of all domains.
struct DomainsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domains",
        abstract: "Print the names of all domains, one on a line.",
        discussion: """
            All domains with a file are listed, even if the file has no keys or cannot be read. The standard store of a \
            program is listed by the program's name, or by its path if the folder of domains has a file of the same name; \
            a line on standard error then says which is which. JSON is a list of objects with the name and the path of \
            each domain.
            """
    )

    @Option(name: .format, help: "The format.")
    var output = LineFormat.text

    func run() throws {
        let folder = try DomainFolder()
        let survey = try DomainSurvey(of: folder)
        switch output {
        case .text:
            for name in survey.domains.map(\.name) {
                try StandardStream.output.writeLine(ControlCharacters.escaped(in: name))
            }
        case .json:
            let domains = survey.domains.map { domain -> PropertyListValue in
                ["name": .string(domain.name), "path": .string(domain.file?.path ?? domain.name)]
            }
            try ExportFormat.json.write(.value(.array(domains)), to: .output)
        }
        for clash in survey.clashes(in: folder) {
            KeyspanCommand.report(clash)
        }
    }
}

/// A search for a word in keys and values that ignores case.
struct WordSearch {
    private let word: String

    /// Makes a search.
    init(_ word: String) {
        self.word = word.lowercased()
    }

    /// Whether the text that `read` prints for a key and its value contains the word.
    ///
    /// - Parameters:
    ///   - key: The key, or the path to a value in a dictionary.
    ///   - value: The value.
    func matches(key: String, value: PropertyListValue) -> Bool {
        isIn(key) || matches(value, at: key)
    }

    private func matches(_ value: PropertyListValue, at path: String) -> Bool {
        switch value {
        case .array(let elements): elements.contains { matches($0, at: path) }
        case .dictionary(let entries): entries.contains { matches(key: "\(path).\($0.key)", value: $0.value) }
        case .string(HiddenValue.placeholder): false
        default: isIn(OldStyleWriter.scalarText(of: value))
        }
    }

    private func isIn(_ text: String) -> Bool {
        // By bytes, because combining marks change characters, and equal characters can have different bytes.
        word.isEmpty || text.lowercased().utf8.contains(word.utf8)
    }
}
