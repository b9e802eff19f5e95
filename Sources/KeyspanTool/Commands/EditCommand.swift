import ArgumentParser
import Keyspan

/// `edit`: opens a domain in the user's editor.
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit a domain as JSON in an editor.",
        discussion: """
            The editor is $VISUAL, or else $EDITOR, or else vi. It opens a temporary copy that only you can read, with all \
            secrets. When it ends, what you have changed is saved in one step; changes of other keys by other programs are kept. \
            If another program has changed the same key in the meantime, nothing is saved. The domain keeps the values that are \
            removed or replaced, which `keyspan kept` lists and restores.

            A JSON file is edited as it is, with its comments and its layout, and gets your text. It may have comments if its \
            name ends in .jsonc, or if it has some. A property list and a cluster are edited as JSON without comments.

            If the text cannot be saved, the command asks whether to edit it again; after a change by another program, \
            saving it again replaces that change. Without a terminal, or if the answer is no, it keeps the copy, prints \
            its path, and ends with status 1.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        let editor = try Editor()
        var copy = try EditedCopy(of: place, name: domain)
        while true {
            do throws(ToolError) {
                try editor.open(copy.path)
                try copy.save(to: place)
                return copy.remove()
            } catch {
                guard copy.isChanged else {
                    copy.remove()
                    throw error
                }
                try KeyspanCommand.report(error.message)
                guard try TerminalQuestion.isAffirmed("Edit it again?") else {
                    throw ToolError.failure(
                        "The edited text is kept in \(copy.path); remove it when you have saved it."
                    )
                }
            }
        }
    }
}
