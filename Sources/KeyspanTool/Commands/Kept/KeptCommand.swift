import ArgumentParser

/// `kept`: shows values that no key could read when they were replaced, and puts them back.
struct KeptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kept",
        abstract: "List, restore or discard values that a program could not read and has replaced.",
        usage: """
            keyspan kept <domain> [<key>] [--format <format>]
            keyspan kept restore <domain> <key> [--number <number>]
            keyspan kept discard <domain> <key> [--number <number> | --all]
            """,
        discussion: """
            When a program writes a key whose stored value it cannot read, because the value is damaged or of another \
            version, the old value is kept in the domain, in the entry keyspan.kept: the last eight for each key. What \
            this tool itself replaces or deletes is not kept, since it does not know what a program could read.

            The values of a key are numbered from the oldest, 1, to the newest.

            A domain that is called list, restore or discard is listed with `keyspan kept list <domain>`.
            """,
        subcommands: [KeptListCommand.self, KeptRestoreCommand.self, KeptDiscardCommand.self],
        defaultSubcommand: KeptListCommand.self
    )
}
