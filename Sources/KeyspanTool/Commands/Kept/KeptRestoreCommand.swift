import ArgumentParser
import Keyspan

/// `kept restore`: puts a kept value back.
struct KeptRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a kept value back under its key.",
        discussion: """
            What the key has now is kept in its place, so that restoring can be undone by restoring again. A value in \
            several entries that an earlier version kept does not say which other entries it had, and is refused.
            """
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .keptKey)
    var key: String

    @Option(help: "The number that `keyspan kept` prints; the newest value if it is left out.")
    var number: Int?

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let values = try place.keptValues(ofKey: key)
        let chosen = try place.keptValue(number ?? values.count, of: values, ofKey: key)
        try place.edit { (defaults) throws(StoreError) in try defaults.restore(chosen) }
    }
}
