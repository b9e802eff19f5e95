import ArgumentParser
import Keyspan

/// `kept discard`: removes kept values for good.
struct KeptDiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Remove a kept value, or all of a key, for good.",
        discussion: "Of several values, one has to be named by its number, unless all are meant."
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .keptKey)
    var key: String

    @Option(help: "The number that `keyspan kept` prints.")
    var number: Int?

    @Flag(help: "Remove all kept values of the key.")
    var all = false

    func validate() throws {
        guard number == nil || !all else {
            throw ValidationError("--number names one value and --all means every one; leave one of them out.")
        }
    }

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let values = try place.keptValues(ofKey: key)
        let chosen: [Defaults.KeptValue]
        if let number {
            chosen = [try place.keptValue(number, of: values, ofKey: key)]
        } else if all || values.count == 1 {
            chosen = values.map(\.value)
        } else {
            throw ToolError.usage(
                "The domain \(domain.debugDescription) keeps \(values.count) values of the key \(key.debugDescription); "
                    + "name one with --number, or all with --all."
            )
        }
        try place.edit { (defaults) throws(StoreError) in
            for value in chosen {
                try defaults.discard(value)
            }
        }
    }
}
