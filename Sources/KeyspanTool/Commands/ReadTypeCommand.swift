import ArgumentParser
import Keyspan

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

    /// The name of a kind in `defaults`, where reals are floats.
    private static func name(of kind: PropertyListKind) -> String {
        kind == .real ? "float" : kind.rawValue
    }
}
