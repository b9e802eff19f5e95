import ArgumentParser
import Keyspan
import KeyspanCore
import KeyspanFileStore

/// The options of commands that list values, some of which may be secret.
struct SecretOptions: ParsableArguments {
    /// The explanation of the options.
    static let discussion = """
        A listing hides the values that a JSON Schema marks with "writeOnly": true, as describe().jsonSchema does for secret \
        keys: the schema of --schema, or else the file that the domain names in a member "$schema", by a path relative to \
        its own. If it names anything else, such as a URL, or a file that cannot be read, all texts and data are hidden, \
        numbers whose names have a word such as code, key, password, pin or token, and all of these behind a "$ref" that leads out \
        of the schema. --show-secrets shows all values. A command that names \
        exactly one key without --schema shows its value, but no secrets inside of a dictionary or an array.
        """

    /// The explanation of the forms of hidden values, for commands with documents for programs.
    static let discussionOfDocuments = """
        For people "(hidden secret)" stands in place of a hidden value. A JSON or plist document does not have the value: its \
        member "$hidden" lists the paths of what is left out.
        """

    @Option(
        help: ArgumentHelp("The JSON Schema that marks secret values.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var schema: String?

    @Flag(help: "Show the values of secret keys.")
    var showSecrets = false

    func validate() throws {
        guard schema == nil || !showSecrets else {
            throw ValidationError("--schema and --show-secrets exclude each other; use only one of them.")
        }
    }

    /// Reads the schema of the option.
    ///
    /// - Throws: ``ToolError`` if it cannot be read.
    func policy() throws(ToolError) -> SecretPolicy {
        if showSecrets { return .showing }
        guard let schema else { return .ofDomains }
        let file = DocumentFile(argument: schema)
        guard let found = SecretSchema(try file.read()) else {
            throw .failure("The schema \(file.name) is not a JSON object; name the file of a JSON Schema.")
        }
        return .of(found)
    }
}

/// Which values a command hides.
enum SecretPolicy {
    /// None.
    case showing
    /// Those that a schema marks.
    case of(SecretSchema)
    /// Those that the schema of each domain marks, if the domain names one.
    case ofDomains

    /// Whether a secret is hidden even if a person has named exactly its key: who names the schema wants that.
    var hidesNamedKeys: Bool { if case .of = self { true } else { false } }

    /// The mask for a domain.
    ///
    /// - Parameters:
    ///   - domain: The domain.
    ///   - members: Its contents.
    func mask(of domain: Domain, _ members: PropertyListTable) -> SecretMask {
        switch self {
        case .showing: .none
        case .of(let schema): SecretMask(schema: schema)
        case .ofDomains: domain.secretMask(members)
        }
    }
}

extension SecretPolicy {
    /// The value of a key that a person has named: a secret one as it is, and any other without secrets inside it.
    ///
    /// - Throws: ``ToolError`` if a program gets the value, and all of it is hidden.
    func shown(
        _ value: PropertyListValue,
        ofNamedKey key: String,
        in domain: Domain,
        _ members: PropertyListTable,
        forPrograms isForPrograms: Bool
    ) throws(ToolError) -> PropertyListValue {
        guard hidesNamedKeys || [.array, .dictionary].contains(value.kind) || LibraryEntries.contains(key) else {
            return value
        }
        let mask = mask(of: domain, members)
        let shown = hidesNamedKeys ? mask.masked(value, ofKey: key) : mask.shown(value, ofNamedKey: key)
        if isForPrograms, shown.forPrograms == nil {
            throw .failure(
                mask.warning ?? "The value of the secret key \(key.quoted) is hidden; --show-secrets shows it."
            )
        }
        if shown != value { SecretMask.reportHiddenValues(by: [mask]) }
        return shown
    }
}

extension SecretMask {
    /// The contents without secrets, with a sentence on standard error if there are any.
    func listed(_ members: PropertyListTable) -> PropertyListTable {
        let masked = masked(members)
        if masked != members { Self.reportHiddenValues(by: [self]) }
        return masked
    }
}

extension Domain {
    /// The mask by the schema that the member `$schema` of the domain names.
    ///
    /// Without the member, nothing is secret but values that are kept from when it had one.
    func secretMask(_ members: PropertyListTable) -> SecretMask {
        SchemaReference(of: self, members).flatMap { secretMask(by: $0)?.mask } ?? .ofNoSchema
    }

    /// The mask by a schema, and the version of its file if that could be read.
    ///
    /// - Parameters:
    ///   - reference: The schema.
    ///   - known: The version of the file that the caller has a mask of.
    /// - Returns: `nil` if the file still has that version.
    func secretMask(
        by reference: SchemaReference,
        unlessIs known: FileSignature? = nil
    ) -> (mask: SecretMask, version: FileSignature?)? {
        let (path, reason): (String, String)
        switch reference {
        case .elsewhere(let text):
            let reason =
                "The member \"$schema\" of the domain \(name.quoted) is \(text) and not the path of a local file"
            return (SecretMask(unknownBecause: reason), nil)
        case .file(let schema):
            do throws(SchemaReference.Unreadable) {
                guard let file = try SchemaReference.read(schema, unlessIs: known) else { return nil }
                if let schema = SecretSchema(file.bytes) { return (SecretMask(schema: schema), file.status.signature) }
                (path, reason) = (schema, "it is not a JSON object")
            } catch {
                (path, reason) = (schema, error.reason)
            }
        }
        let shown = SchemaReference.excerpt(of: path, behind: file?.path.unicodeScalars.count ?? 0)
        let place = "The schema \(shown), which the domain \(name.quoted) names in its member \"$schema\""
        return (SecretMask(unknownBecause: "\(place), cannot be read (\(reason))"), nil)
    }
}
