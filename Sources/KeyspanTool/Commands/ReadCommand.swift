import ArgumentParser
import Keyspan

/// `read`: prints all domains, one domain or one value.
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print a value, a domain, or all domains.",
        discussion: """
            \(ReadOptions.discussion)

            A domain is shown completely, including the records of Keyspan itself: keyspan.kept has unreadable values \
            that were replaced, see `keyspan help kept`, and keyspan.migrations the version of the stored form. A copy of \
            the domain without them would lose both.
            """
    )

    @Argument(
        help: ArgumentHelp(stringLiteral: "\(DomainArgumentHelp.forms); all domains if omitted."),
        completion: .domain
    )
    var domain: String?

    @Argument(help: "The key; all keys if omitted.", completion: .key)
    var key: String?

    @OptionGroup var options: ReadOptions

    func validate() throws {
        guard key != nil || options.default == nil else {
            throw ValidationError("--default is for the read of one key, and a key is missing.")
        }
    }

    func run() throws {
        guard let domain else { return try readAll() }
        let place = try Domain(argument: domain, in: DomainFolder())
        if let key {
            try options.write(valueOf: key, in: place)
        } else {
            let members = try place.contents()
            let mask = try options.secrets.policy().mask(of: place, members)
            let listed = mask.listed(members)
            try options.output.write(.domain(listed), isMasked: listed != members)
            try KeyspanCommand.checkCompleteness()
        }
    }

    private func readAll() throws(ToolError) {
        var survey = try DomainSurvey(of: DomainFolder())
        try survey.hideSecrets(by: options.secrets.policy())
        var domains = PropertyListTable()
        for (domain, table) in survey.tables {
            domains[domain.name] = .dictionary(table.dictionary)
        }
        if options.output == .table {
            try TextTable(ofDomains: domains.dictionary).write()
        } else {
            try options.output.write(.domain(domains), isMasked: !options.secrets.showSecrets)
        }
        try survey.throwFailures()
    }
}

/// `get`: prints one value.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of one key.",
        discussion: ReadOptions.discussion
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .key)
    var key: String

    @OptionGroup var options: ReadOptions

    func run() throws {
        try options.write(valueOf: key, in: Domain(argument: domain, in: DomainFolder()))
    }
}

/// The options of commands that print values.
struct ReadOptions: ParsableArguments {
    /// The explanation of the options.
    static let discussion = """
        The text format is for people: an old-style property list, in which every value is a string, booleans are 1 and 0, \
        and long data is shortened. A table has a line with the kind and the value for each key. JSON is the form of a \
        .json file; xml and binary are property lists.

        A file that a program has locked for a second is read without the lock, with a line on standard error.

        With --default an absent key is no error: this value is printed, read as `write` would read it for a new key.

        \(NestedName.discussion)

        \(SecretOptions.discussion) \(SecretOptions.discussionOfDocuments) A value that is hidden as a whole is \
        no document, but an error.
        """

    @Option(name: .format, help: "The format.")
    var output = ReadFormat.text

    @Option(parsing: .unconditional, help: ArgumentHelp("The value of an absent key.", valueName: "value"))
    var `default`: String?

    @OptionGroup var secrets: SecretOptions

    /// Prints the value of a key, or the default if the key is absent.
    func write(valueOf key: String, in domain: Domain) throws(ToolError) {
        let policy = try secrets.policy()
        let members = `default` == nil ? try domain.contents(reaching: [key]) : try domain.snapshot(reaching: [key])
        let value: PropertyListValue
        if let present = members[key] {
            value = try policy.shown(
                present,
                ofNamedKey: key,
                in: domain,
                members,
                forPrograms: output != .text && output != .table
            )
        } else if let `default` {
            value = try BareArgument.parse(`default`)
        } else {
            throw domain.missingKeyError(key, in: members)
        }
        try output.write(.value(value), ofKey: key, isMasked: members[key].map { $0 != value } ?? false)
        // The key may be one of the entries that could not be read.
        if members[key] == nil { try KeyspanCommand.checkCompleteness() }
    }
}

/// `read-type`: prints the kind of a value.
struct ReadTypeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-type",
        abstract: "Print the kind of a value.",
        discussion: """
            The kinds are boolean, integer, float, string, date, data, array and dictionary. JSON is the kind as a string.

            \(NestedName.discussion)
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .key)
    var key: String

    @Option(name: .format, help: "The format.")
    var output = LineFormat.text

    func run() throws {
        let kind = try Domain(argument: domain, in: DomainFolder()).value(forKey: key).kind.name
        switch output {
        case .text: try StandardStream.output.writeLine("Type is \(kind)")
        case .json: try ExportFormat.json.write(.value(.string(kind)), to: .output)
        }
    }
}
