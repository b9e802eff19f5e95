import ArgumentParser
import Keyspan
import KeyspanCore

/// `validate`: compares a domain with a JSON Schema.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a domain with the JSON Schema that a program has written of its keys.",
        discussion: """
            Each violation is printed as `file:line: key reason.`, without the value, which may be a secret. The line is \
            that of the key. A property with dots, such as tls.port, describes a nested value as well. The reason for a value that \
            the schema marks as secret names its type only.

            The schema is one of `describe().jsonSchema`, in draft 2020-12. A keyword that it never has is an error, \
            because the check would be incomplete. A member with the value null counts as absent, as it does for programs.

            Exit status: 0 if the domain satisfies the schema, 1 if it does not or cannot be read, 2 if the schema cannot \
            be used, 64 if the arguments cannot be understood.
            """
    )

    @Argument(help: "A name, or the path of a .json, .jsonc or .plist file.", completion: .domain)
    var domain: String

    @Option(help: "The file with the schema, or - for standard input.", completion: .file(extensions: ["json"]))
    var schema: String

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let schema = try readSchema()
        _ = try place.contents()
        // As a program with these keys has the values, which the file may nest.
        let store = try place.open(reaching: schema.propertyNames)
        let violations = schema.violations(by: PlainJSON.object(of: store.snapshot()))
        guard !violations.isEmpty else { return }
        let keys = violations.compactMap(\.key)
        let origins = store.provenance(ofKeys: keys, findingLines: true)
        for violation in violations {
            let line = violation.key.flatMap { origins[$0]?.sources.first?.line }
            let text = violation.text(inFile: place.path, line: line)
            let style = StandardStream.output.style
            try StandardStream.output.writeLine(style.isTerminal ? ControlCharacters.escaped(in: text) : text)
        }
        throw ExitCode(ToolError.Status.failure.rawValue)
    }

    private func readSchema() throws(ToolError) -> JSONSchema {
        let file = DocumentFile(argument: schema)
        let bytes: [UInt8]
        do {
            bytes = try file.read()
        } catch {
            throw ToolError(status: .trouble, message: error.message)
        }
        return try JSONSchema(bytes, source: file.name)
    }
}
