import ArgumentParser
import Keyspan
import KeyspanCore

/// The options of commands that list values, some of which may be secret.
struct SecretOptions: ParsableArguments {
    /// The explanation of the options.
    static let discussion = """
        A listing hides the values that a JSON Schema marks with "writeOnly": true, as describe().jsonSchema does for secret \
        keys: the schema of --schema, or else the one that the domain names in a member "$schema", if that is the path of a \
        file, relative to the domain's. --show-secrets shows them, and so does a command that names exactly that key.
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

    /// The mask for a domain.
    ///
    /// - Parameters:
    ///   - domain: The domain.
    ///   - members: Its contents.
    /// - Throws: ``ToolError`` if the domain names a file that cannot be read as a schema, because the secrets are unknown then.
    func mask(of domain: Domain, _ members: PropertyListTable) throws(ToolError) -> SecretMask {
        switch self {
        case .showing: .none
        case .of(let schema): SecretMask(schema: schema)
        case .ofDomains: SecretMask(schema: try domain.secretSchema(members))
        }
    }
}

extension SecretPolicy {
    /// The value of a key that a person has named: a secret one as it is, and any other without secrets inside it.
    ///
    /// - Throws: ``ToolError`` if the value can have secrets inside, and the domain's schema cannot be read.
    func shown(
        _ value: PropertyListValue,
        ofNamedKey key: String,
        in domain: Domain,
        _ members: PropertyListTable
    ) throws(ToolError) -> PropertyListValue {
        guard value.kind == .array || value.kind == .dictionary else { return value }
        let shown = try mask(of: domain, members).shown(value, ofNamedKey: key)
        if shown != value { try SecretMask.reportHiddenValues() }
        return shown
    }
}

extension SecretMask {
    /// The contents without secrets, with a sentence on standard error if there are any.
    func listed(_ members: PropertyListTable) throws(ToolError) -> PropertyListTable {
        let masked = masked(members)
        if masked != members { try Self.reportHiddenValues() }
        return masked
    }

    /// Reports that values are hidden.
    static func reportHiddenValues() throws(ToolError) {
        try KeyspanCommand.report("The values of secret keys are hidden; --show-secrets shows them.")
    }
}

extension Domain {
    /// The schema that the member `$schema` of a domain names; `nil` if it names none, or one that is not a file.
    ///
    /// - Throws: ``ToolError`` if there is no such file, or no JSON object in it.
    fileprivate func secretSchema(_ members: PropertyListTable) throws(ToolError) -> SecretSchema? {
        guard case .file(let path)? = SchemaReference(of: self, members) else { return nil }
        let reason: String
        do {
            if let schema = SecretSchema(try SchemaReference.read(path)) { return schema }
            reason = "it is not a JSON object"
        } catch {
            reason = error.reason
        }
        throw .failure(
            "The secret values of the domain \(name.quoted) are unknown, because its schema \(path) cannot be read "
                + "(\(reason)); correct the member \"$schema\", name another schema with --schema, or list everything with "
                + "--show-secrets."
        )
    }
}
