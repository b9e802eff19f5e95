import ArgumentParser
import Keyspan

/// `export`: writes a domain to a document.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a domain to a file.",
        discussion: """
            Without --format a file that ends in .json is JSON, and any other file and standard output an XML property \
            list. XML has no fractions of a second; JSON and the binary format keep every value exactly.
            """
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The file to write, or - for standard output.", completion: .file())
    var file: String

    @Option(help: "The format.")
    var format: ExportFormat?

    func run() throws {
        let contents = try Domain(argument: domain, in: DomainFolder()).contents()
        try DocumentFile(argument: file).write(.domain(contents), as: format ?? ExportFormat(path: file))
    }
}
