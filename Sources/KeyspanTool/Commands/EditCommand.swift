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

            If the text cannot be saved, the command prints the path of the copy and asks whether to edit it again; after a \
            change by another program, saving it again replaces that change. Without a terminal, or if the answer is no, \
            it keeps the copy.

            SIGHUP, SIGINT and SIGTERM are passed on to the editor, and end the command when it has ended, for which it has \
            five seconds after SIGHUP and SIGTERM. A text that has changed by then is kept, and its path printed, and so are \
            files that the editor has left beside the copy, because they may have a text that it has rescued. While the text \
            is being saved, a signal ends the command at once, and the copy is kept. In all other cases the copy is removed, \
            with everything that the editor has left beside it.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    func run() throws {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        let editor = try Editor()
        // It holds the signals as soon as there is something to remove.
        defer { TerminationSignals.release() }
        var copy = try EditedCopy(of: place, name: domain)
        let words = "The edited text may not be saved; it is kept in \(copy.path) until you remove it."
        while true {
            do throws(ToolError) {
                if TerminationSignals.arrived == nil { try editor.open(copy.path) }
                // A save may wait for a lock or a cluster, and can end at any time: it is one step.
                let isSaved = try TerminationSignals.unheld(
                    saying: "keyspan: \(ControlCharacters.escaped(in: words))\n"
                ) { () throws(ToolError) in
                    try copy.save(to: place)
                }
                // An editor that ended by a signal may have written a part of the text.
                if !isSaved, Self.isKept(copy) { return }
                break
            } catch {
                guard copy.isChanged else {
                    copy.remove()
                    throw error
                }
                // The text is kept from here on, also by a signal.
                KeyspanCommand.report(error.message)
                _ = Self.isKept(copy)
                TerminationSignals.release()
                guard (try? TerminalQuestion.isAffirmed("Edit it again?", byDefault: !copy.isConflict)) == true else {
                    throw ExitCode(error.status.rawValue)
                }
                TerminationSignals.hold()
            }
        }
        if !copy.remove() { throw ToolError.failure("") }
    }

    /// Whether there is a text to keep, which is reported: a changed one, or one that the editor may have rescued beside it.
    private static func isKept(_ copy: EditedCopy) -> Bool {
        if copy.isChanged {
            KeyspanCommand.report("The edited text is kept in \(copy.path) until it is saved or you remove it.")
        } else if let folder = copy.rescue {
            KeyspanCommand.report(
                "The editor has left files beside the copy, which may have a text that is not saved; they are kept in \(folder) "
                    + "until you remove it."
            )
        } else {
            return false
        }
        return true
    }
}
