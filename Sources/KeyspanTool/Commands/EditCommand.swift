import ArgumentParser
import Keyspan

/// `edit`: opens a domain in the user's editor.
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit a domain as JSON in an editor.",
        discussion: """
            The editor is $VISUAL, or else $EDITOR, or else vi. It opens a temporary copy that only you can read. When it \
            ends, the keys that you have changed are saved in one step; changes of other keys by other programs are kept. \
            If another program has changed the same key in the meantime, nothing is saved.

            If the text cannot be saved, the command asks whether to edit it again; after a change by another program, \
            saving it again replaces that change. Without a terminal, or if the answer is no, it keeps the copy, prints \
            its path, and ends with status 1.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder())
        let editor = try Editor()
        var copy = try EditedCopy(of: try place.snapshot(), name: domain)
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
