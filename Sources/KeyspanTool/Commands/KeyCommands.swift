import ArgumentParser
import Keyspan

/// `delete`: removes a key, or all keys of a domain.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove a key, or a domain with all its keys.",
        discussion: """
            The file of a domain stays, without keys, because other programs may have it open. To remove the domain \
            itself, remove the file when no program uses it. The domain keeps the former values, which `keyspan kept` lists and \
            restores, and its member "$schema" and the records of Keyspan itself. To be rid of a secret, remove the kept value as \
            well, with `keyspan kept discard`.

            All keys of a prefix of a cluster are removed only after a question, or with --yes. A cluster whose space is used up \
            takes removals, and cannot keep the former values, which is reported.

            \(NestedName.discussion) A domain that has a key both nested and with dots loses both. A dictionary stays when \
            its last member is deleted.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String?

    @Argument(help: "The key; all keys if omitted.", completion: .key)
    var key: String?

    @Flag(help: "Remove all keys of a prefix of a cluster without a question.")
    var yes = false

    func run() throws {
        guard let domain else {
            throw ToolError.usage("A domain is missing; name one, because `delete` never removes all domains.")
        }
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        if let key {
            // Checked first, because opening a domain for writing does not require a file.
            let members = try place.contents()
            guard members[key] != nil else { throw place.missingKeyError(key, in: members) }
            // A damaged record of the library can be removed.
            let replaced = try place.write(reaching: [key], mayBeRecords: true) { (_, batch) throws(ToolError) in
                batch.remove(key)
            }
            replaced.report(in: place)
        } else {
            if !yes { try RemovalQuestion.ask(about: place, consent: "give --yes, or name a key") }
            _ = try place.contents()
            try place.replace(by: [:])
        }
    }
}

/// `rename`: renames a key.
struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Rename a key.",
        discussion: """
            A key that already exists is not overwritten.

            \(NestedName.discussionOfWriting)
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The present key.", completion: .key)
    var old: String

    @Argument(help: "The new key.")
    var new: String

    func run() throws(ToolError) {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        // Checked first, because opening a domain for writing does not require a file.
        let members = try place.contents()
        guard let value = members[old] else { throw place.missingKeyError(old, in: members) }
        guard !old.hasSameUTF8(as: new) else { return }
        let takesPlaceOfItsGroup = old.hasUTF8Prefix(new + ".") && members.entry(old) == nil
        let isInsideOfItself = place.file != nil && value.kind == .dictionary && new.hasUTF8Prefix(old + ".")
        guard !takesPlaceOfItsGroup, !isInsideOfItself else {
            throw .failure(
                "The key \(old.quoted) cannot be renamed to \(new.quoted), because one is nested in the "
                    + "other; choose a name outside of it."
            )
        }
        let replaced = try place.write(reaching: [old, new]) { (table, batch) throws(ToolError) in
            guard let value = table[old] else { throw place.missingKeyError(old, in: table) }
            guard table[new] == nil else {
                throw .failure(
                    "The domain \(domain.quoted) already has a key \(new.quoted); "
                        + "delete it first if its value is not needed."
                )
            }
            batch.expect(value, forKey: old)
            batch.expect(nil, forKey: new)
            batch.remove(old)
            batch.set(value, forKey: new)
        }
        // A domain that had the old key twice has moved one of its values.
        replaced.report(in: place)
    }
}
