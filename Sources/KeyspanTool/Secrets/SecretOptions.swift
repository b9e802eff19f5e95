import ArgumentParser
import Keyspan
import KeyspanCore

/// The options of commands that list values, some of which may be secret.
struct SecretOptions: ParsableArguments {
    /// The explanation of the options.
    static let discussion = """
        A listing hides the values that a JSON Schema marks with "writeOnly": true, as describe().jsonSchema does for secret \
        keys: the schema of --schema, or else the one that the domain names in a member "$schema", if that is the path of a \
        file, relative to the domain's. If that file cannot be read, all texts and data are hidden, with a warning. \
        --show-secrets shows them, and so does a command that names exactly that key without --schema.
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

    /// The mask for a domain, with a warning on standard error if it is unknown which of its values are secret.
    ///
    /// - Parameters:
    ///   - domain: The domain.
    ///   - members: Its contents.
    func mask(of domain: Domain, _ members: PropertyListTable) throws(ToolError) -> SecretMask {
        switch self {
        case .showing: return .none
        case .of(let schema): return SecretMask(schema: schema)
        case .ofDomains:
            let (mask, warning) = domain.secretMask(members)
            if let warning { try KeyspanCommand.report(warning) }
            return mask
        }
    }
}

extension SecretPolicy {
    /// The value of a key that a person has named: a secret one as it is, and any other without secrets inside it.
    func shown(
        _ value: PropertyListValue,
        ofNamedKey key: String,
        in domain: Domain,
        _ members: PropertyListTable
    ) throws(ToolError) -> PropertyListValue {
        guard hidesNamedKeys || value.kind == .array || value.kind == .dictionary else { return value }
        let mask = try mask(of: domain, members)
        let shown = hidesNamedKeys ? mask.masked(value, ofKey: key) : mask.shown(value, ofNamedKey: key)
        if shown != value { try mask.reportHiddenValues() }
        return shown
    }
}

extension SecretMask {
    /// The contents without secrets, with a sentence on standard error if there are any.
    func listed(_ members: PropertyListTable) throws(ToolError) -> PropertyListTable {
        let masked = masked(members)
        if masked != members { try reportHiddenValues() }
        return masked
    }

    /// Reports that values are hidden, unless a warning has said it.
    func reportHiddenValues() throws(ToolError) {
        if isUnknown { return }
        try KeyspanCommand.report("The values of secret keys are hidden; --show-secrets shows them.")
    }
}

extension Domain {
    /// The mask by the schema that the member `$schema` of the domain names, and a warning if that cannot be read.
    ///
    /// Without the member, nothing is secret.
    func secretMask(_ members: PropertyListTable) -> (mask: SecretMask, warning: String?) {
        let remedy = "correct the member, name another schema with --schema, or list everything with --show-secrets."
        let (path, reason): (String, String)
        switch SchemaReference(of: self, members) {
        case nil: return (.none, nil)
        case .elsewhere(let reference)?:
            return (
                .none,
                "The member \"$schema\" of the domain \(name.quoted) is \(reference) and not the path of a local file, so no value "
                    + "is hidden; name the schema with --schema."
            )
        case .file(let file)?:
            do {
                if let schema = SecretSchema(try SchemaReference.read(file)) {
                    return (SecretMask(schema: schema), nil)
                }
                (path, reason) = (file, "it is not a JSON object")
            } catch {
                (path, reason) = (file, error.reason)
            }
        }
        return (
            .unknown,
            "The schema \(path), which the domain \(name.quoted) names in its member \"$schema\", cannot be read (\(reason)), so it is "
                + "unknown which values are secret, and all texts and data are hidden; \(remedy)"
        )
    }
}
