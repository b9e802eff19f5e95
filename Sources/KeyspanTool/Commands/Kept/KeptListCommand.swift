import ArgumentParser
import Keyspan

/// `kept list`: prints the kept values of a domain or of a key.
struct KeptListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the kept values of a domain or key, one on a line.",
        discussion: """
            A line has the key, the number of the value among those of its key, the time at which it was replaced, and \
            the value as in old-style property lists. JSON and plist are a list of dictionaries; their `entries` are \
            what is put back, each under its name, and the entries that `absent` names are removed then.

            Nothing is printed for a domain that keeps nothing; naming a key that has no kept value is an error.
            """
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The key; all keys if it is left out.", completion: .keptKey)
    var key: String?

    @Option(help: "The format.")
    var format = ReadFormat.text

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let values = if let key { try place.keptValues(ofKey: key) } else { try place.keptValues() }
        guard format == .text else { return try format.write(.value(.array(values.map(\.propertyList)))) }
        let writer = OldStyleWriter(style: StandardStream.output.style)
        for value in values {
            try StandardStream.output.writeLine(value.line(by: writer))
        }
    }
}
