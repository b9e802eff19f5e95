import ArgumentParser
import Keyspan

/// `import`: replaces a domain by a document.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Replace a domain by the dictionary in a file.",
        discussion: """
            The format is recognised by the content: JSON, or an XML, binary or old-style property list. All keys that \
            the domain had are replaced in one step; nothing is changed if the file cannot be read.
            """
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The file to read, or - for standard input.", completion: .file())
    var file: String

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let source = DocumentFile(argument: file)
        let request = WriteRequest.replace(try ImportedDocument.entries(of: try source.read(), source: source.name))
        try place.write { (table, batch) throws(ToolError) in
            try request.add(to: &batch, on: table)
        }
    }
}
