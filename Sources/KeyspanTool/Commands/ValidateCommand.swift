import ArgumentParser
import Keyspan
import KeyspanCore
import KeyspanFileStore

/// `validate`: compares a domain with a JSON Schema.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a domain with the JSON Schema that a program has written of its keys.",
        discussion: """
            Each violation is printed as `file:line:column: key reason`, in the order of the file. The place is that of the \
            nested member or element itself, such as servers[2].host; a binary property list and a cluster have no lines. No value is \
            printed, because it may be a secret. JSON is a list of objects with the file, line, column, path and reason of each. \
            The reason for a value that the schema marks as secret names its type only.

            The schema is that of --schema, or else the one that the domain names in a member "$schema", if that is the path \
            of a file, relative to the domain's. Nothing is fetched from a URL. A property with dots, such as tls.port, \
            describes a nested value as well, and the member "$schema" itself and the records of Keyspan need no property.

            The schema is one of `describe().jsonSchema`, in draft 2020-12. A keyword that it never has is an error, \
            because the check would be incomplete, unless it says nothing about values, as `title` and `examples` do. A member \
            with the value null counts as absent, as it does for programs. A text in another form than its `pattern` is \
            reported with the `description` and the `examples` beside that, if the schema has any.

            The exit status is 1 if the domain violates the schema, and 2 if there is no schema or it cannot be used.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Option(
        help: ArgumentHelp("The file with the schema, or - for standard input.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var schema: String?

    @Option(name: .format, help: "The format.")
    var output = LineFormat.text

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let named = try schema.map(Self.readSchema(named:))
        let members = try place.contents()
        let (schema, secrets) = try named ?? Self.readSchema(of: place, members)
        // As a program with these keys has the values, which the file may nest.
        let store = try place.open(reaching: schema.propertyNames, for: .reading)
        var values = store.snapshot()
        if place.file != nil { values.listing = EntryListing(of: schema.propertyNames) }
        if values[SchemaReference.member]?.kind == .string, !schema.propertyNames.contains(SchemaReference.member) {
            values[SchemaReference.member] = nil
        }
        for key in values.sortedKeys where LibraryEntries.contains(key) && !schema.propertyNames.contains(key) {
            values[key] = nil
        }
        let violations = secrets.masked(schema.violations(by: PlainJSON.object(of: values)))
        guard !violations.isEmpty else { return try KeyspanCommand.checkCompleteness() }
        let lines = (store as? any FileStore)?.engine.places(of: violations.map { ValuePath($0.path) })
        let places = lines ?? violations.map { _ in nil }
        let ordered = zip(violations, places).sorted { Self.precedes($0.1, $1.1) }
        let name = place.file?.path ?? place.name
        switch output {
        case .text:
            for (violation, position) in ordered {
                let text = violation.text(in: name, at: position)
                try StandardStream.output.writeLine(ControlCharacters.escaped(in: text))
            }
        case .json:
            let objects = ordered.map { $0.propertyList(in: name, at: $1) }
            try ExportFormat.json.write(.value(.array(objects)), to: .output)
        }
        throw ExitCode(ToolError.Status.difference.rawValue)
    }

    /// Whether a place is before another one; that of the whole file is before all others.
    private static func precedes(_ left: LineAndColumn?, _ right: LineAndColumn?) -> Bool {
        guard let right else { return false }
        guard let left else { return true }
        return (left.line, left.column) < (right.line, right.column)
    }

    /// Reads the schema of the option.
    private static func readSchema(named argument: String) throws(ToolError) -> (JSONSchema, SecretMask) {
        let file = DocumentFile(argument: argument)
        let bytes = try file.read()
        return (try JSONSchema(bytes, source: file.name), SecretMask(schema: SecretSchema(bytes)))
    }

    /// Reads the schema that the domain names.
    private static func readSchema(
        of domain: Domain,
        _ members: PropertyListTable
    ) throws(ToolError) -> (JSONSchema, SecretMask) {
        let name = domain.name.quoted
        let message: String
        switch SchemaReference(of: domain, members) {
        case .file(let path)?:
            let bytes: [UInt8]
            do {
                bytes = try SchemaReference.read(path)?.bytes ?? []
            } catch {
                throw .failure(
                    "The schema \(path), which the domain \(name) names in its member \"$schema\", cannot be read "
                        + "(\(error.reason)); correct the member, or name another schema with --schema."
                )
            }
            return (try JSONSchema(bytes, source: path), SecretMask(schema: SecretSchema(bytes)))
        case .elsewhere(let reference)?:
            message =
                "The member \"$schema\" of the domain \(name) is \(reference) and not the path of a local file, and nothing "
                + "is fetched; save the schema in a file, and name that with --schema or in the member."
        case nil:
            message =
                "There is no schema for the domain \(name); name one with --schema, or write its path into a member "
                + "\"$schema\" of the domain."
        }
        throw .failure(message)
    }
}
