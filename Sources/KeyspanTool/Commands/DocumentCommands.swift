import ArgumentParser
import Keyspan
import KeyspanFileStore

/// `import`: replaces a domain by a document.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Replace a domain by the dictionary in a file.",
        discussion: """
            The content determines the format: JSON, or an XML, binary or old-style property list. All keys of the domain \
            are replaced in one step; nothing changes if the file cannot be read. The domain keeps the values that are removed or \
            replaced, which `keyspan kept` lists and restores. Its member "$schema" and the records of Keyspan itself stay, unless \
            the file has its own; kept values stay in any case.

            An import that leaves no entry of a prefix of a cluster as a key of the file asks first, or needs --yes.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The file to read, or - for standard input.", completion: .file())
    var file: String

    @Flag(help: "Remove all entries of a prefix of a cluster without a question.")
    var yes = false

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        let source = DocumentFile(argument: file)
        let entries = try ImportedDocument.entries(of: try source.read(), source: source.name)
        if !yes { try RemovalQuestion.ask(about: place, replacedBy: entries, consent: "give --yes") }
        try WriteRequest.replace(entries).run(on: place)
    }
}

/// `export`: writes a domain to a document.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a domain to a file.",
        discussion: """
            Without --format, a file that ends in .json or .jsonc is JSON, and any other file and standard output are an XML \
            property list. XML has no fractions of a second; JSON and the binary format keep every value exactly.

            A file and a pipe get everything, secrets included, because a backup without them would lose them: keep it as \
            safe as the domain. A new file can be read by its owner alone; that of root in the folder of another user \
            belongs to that user. A file that is there keeps its permissions, with a line on standard error if other users \
            can read it. On a terminal secrets are hidden.

            Nothing is written over the file of the domain itself, over a journal or a file with the journal of a program beside \
            it, over a read-only file, through a link of another user in a folder to which others may add files, and, in a \
            folder such as /tmp to which every user may add them, over a file of another user. If \
            entries of a cluster cannot be read, the others are written to a new file alone.

            \(SecretOptions.discussion) The document on a terminal does not have the values: its member "$hidden" lists the \
            paths of what is left out, and `import` refuses it.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The file to write, or - for standard output.", completion: .file())
    var file: String

    @Option(name: .format, help: "The format.")
    var format: ExportFormat?

    @OptionGroup var secrets: SecretOptions

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let policy = try secrets.policy()
        let contents = try place.contents()
        let format = format ?? ExportFormat(path: file)
        func bytes(forTerminal isTerminal: Bool) throws -> [UInt8] {
            guard isTerminal else { return try format.bytes(of: .domain(contents)) }
            let listed = policy.mask(of: place, contents).listed(contents)
            let shown = listed == contents ? contents : listed.forPrograms
            return try format.terminalBytes(format.bytes(of: .domain(shown)))
        }
        // Before the target is opened, because the reader of a pipe takes the end of a failed export for that of an empty document.
        let isOutput = DocumentTarget.isStandardOutput(file) && StandardStream.output.style.isTerminal
        var document = try bytes(forTerminal: isOutput)
        let target = try DocumentTarget(file, for: place)
        if target.isTerminal, !isOutput { document = try bytes(forTerminal: true) }
        try target.write(document)
        try KeyspanCommand.checkCompleteness()
    }
}
