import ArgumentParser
import Keyspan

/// `read`: prints all domains, one domain or one value.
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print a value, a domain, or all domains.",
        discussion: """
            The text format is for people: an old-style property list, in which every value is a string, booleans are \
            1 and 0, and long data is shortened. JSON is the form of a .json file; plist is an XML property list.

            A domain is shown completely, including the records of Keyspan itself: keyspan.kept has unreadable values \
            that were replaced, see `keyspan help kept`, and keyspan.migrations the version of the stored form. A copy of \
            the domain without them would lose both.
            """
    )

    @Argument(
        help: "A name, or the path of a .json or .plist file; all domains if omitted.",
        completion: .domain
    )
    var domain: String?

    @Argument(help: "The key; all keys if omitted.", completion: .key)
    var key: String?

    @Option(help: "The format.")
    var format = ReadFormat.text

    func run() throws {
        guard let domain else { return try readAll() }
        let place = try Domain(argument: domain, in: DomainFolder())
        if let key {
            try format.write(.value(try place.value(forKey: key)))
        } else {
            try format.write(.domain(try place.contents()))
        }
    }

    private func readAll() throws(ToolError) {
        let survey = try DomainSurvey(of: DomainFolder())
        var domains = PropertyListTable()
        for (domain, table) in survey.tables {
            domains[domain.name] = .dictionary(table.dictionary)
        }
        try format.write(.domain(domains))
        try survey.throwFailures()
    }
}

/// `read-type`: prints the kind of a value.
struct ReadTypeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-type",
        abstract: "Print the kind of a value.",
        discussion: "The kinds are boolean, integer, float, string, date, data, array and dictionary."
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .key)
    var key: String

    func run() throws {
        let value = try Domain(argument: domain, in: DomainFolder()).value(forKey: key)
        try StandardStream.output.writeLine("Type is \(Self.name(of: value.kind))")
    }

    /// The name of a kind in `defaults`, which calls reals floats.
    private static func name(of kind: PropertyListKind) -> String {
        kind == .real ? "float" : kind.rawValue
    }
}
