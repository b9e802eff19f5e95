import ArgumentParser
import Keyspan

/// `delete`: removes a key, or all keys of a domain.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove a key, or a domain with all its keys.",
        discussion: """
            The file of a domain stays, without keys, because other programs may have it open. Remove the file to \
            remove the domain, when no program uses it.
            """
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String?

    @Argument(help: "The key; all keys if it is left out.", completion: .key)
    var key: String?

    func run() throws {
        guard let domain else {
            throw ToolError.usage("A domain is missing; name the one to delete, all at once are never deleted.")
        }
        let place = try Domain(argument: domain, in: DomainFolder())
        if let key {
            _ = try place.value(forKey: key)
            try place.write { (_, batch) throws(ToolError) in batch.remove(key) }
        } else {
            _ = try place.contents()
            try place.write { (_, batch) throws(ToolError) in batch.removeAll() }
        }
    }
}
