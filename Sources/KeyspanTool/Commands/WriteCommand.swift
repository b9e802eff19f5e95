import ArgumentParser
import Keyspan

/// `write`: stores a value, or replaces a domain.
struct WriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Store a value under a key, or replace a whole domain.",
        usage: """
            keyspan write <domain> <key> <value>
            keyspan write <domain> <key> - | --stdin [<option of a kind>]
            keyspan write <domain> '<dictionary>'
            """,
        discussion: """
            A value is one of:
              -string <text>
              -data <hexadecimal digits>
              -int | -integer <whole number>
              -float <number>
              -bool | -boolean true | yes | 1 | false | no | 0
              -date <2026-11-21T10:50:00Z, or "2026-11-21 10:50:00 +0000">
              -array <value> ...            -array-add <value> ...
              -dict <name> <value> ...      -dict-add <name> <value> ...
              <text>

            Values in an array or dictionary have their own options: -dict width -int 3. -array-add appends to the \
            present array, and -dict-add sets entries of the present dictionary; both create it if the key is absent.

            A text without an option is read as a property list if it begins like one: old-style, as in '(a, "b c")', \
            '{a = 1; b = <0fbd77>;}' and '"quoted"'; JSON, as in '[1, 2]' and '{"a": true}'; or XML. Any other text is \
            a string, even if it is all digits: 5 stores the string 5, which is reported for a new key, and -int 5 stores the number. The same applies \
            inside old-style property lists, which have no numbers.

            If the key has a value already, a text without an option keeps its kind: 5 is stored as a number if the \
            present value is a number, which is reported on standard error. A text that cannot be read as that kind is \
            an error. An option, such as -string, changes the kind.

            With - or --stdin the text is read from standard input, without one line feed at its end and a byte-order mark, so that a secret \
            is not in the list of processes. On a terminal the command asks for it, and a value that the schema of the \
            domain marks as secret, or may mark, is one line that is not shown. It is never read as a property list, unless the \
            key has an array or a dictionary. The option of a kind may follow: --stdin -data. Empty input is refused without \
            one. A hyphen as text is -string -.

            \(NestedName.discussionOfWriting)

            A dictionary in place of the key replaces all keys of the domain in one step. The member "$schema" of the domain and \
            the records of Keyspan itself stay, unless the dictionary has its own; kept values stay in any case. One that leaves no \
            entry of a prefix of a cluster is written only after a question on the terminal.

            The domain keeps the values that are removed or replaced, which `keyspan kept` lists and restores.
            """
    )

    @OptionGroup var arguments: WriteArguments

    func run() throws {
        try arguments.words(of: Self.self).run()
    }
}

/// `set`: stores a value.
struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a value under one key.",
        usage: """
            keyspan set <domain> <key> <value>
            keyspan set <domain> <key> - | --stdin [<option of a kind>]
            """,
        discussion: """
            Values are those of `write`, which `keyspan help write` explains. The domain keeps a value that is replaced, which \
            `keyspan kept` lists and restores.

            \(NestedName.discussionOfWriting)
            """
    )

    @OptionGroup var arguments: WriteArguments

    func run() throws {
        let words = try arguments.words(of: Self.self)
        guard words.rest.count(where: { $0 != "--" }) > 1 else {
            throw ToolError.usage("A key and a value are missing; `keyspan help set` shows the form.")
        }
        try words.run()
    }
}

/// The arguments of commands that write: all words, whose grammar is that of ``WriteRequest``.
struct WriteArguments: ParsableArguments {
    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The domain, the key and the value.", valueName: "word"),
        completion: .writeWord
    )
    var words: [String] = []

    /// The words of a command, separated.
    fileprivate func words(of command: any ParsableCommand.Type) throws -> WriteWords {
        try WriteWords(words, of: command)
    }
}

/// The words of a command that writes: the domain, and the grammar of ``WriteRequest``.
private struct WriteWords {
    /// The words after the domain, and the terminator before them if there was one.
    let rest: [String]
    private let domain: String

    /// Separates the domain from the other words.
    ///
    /// The parser captures all words, so that the options of values reach their own grammar; that includes the terminator and
    /// the requests for help.
    init(_ words: [String], of command: any ParsableCommand.Type) throws {
        let isTerminated = words.first == "--"
        let words = isTerminated ? words.dropFirst() : words[...]
        guard let domain = words.first else {
            throw ToolError.usage("A domain is missing; see `keyspan help \(command.configuration.commandName ?? "")`.")
        }
        // Behind the option of a value, they are values.
        let options = isTerminated ? [] : words.prefix { $0 != "--" && ValueType(option: $0) == nil }
        guard !options.contains("--help"), !options.contains("-h") else { throw CleanExit.helpRequest(command) }
        (self.domain, rest) = (domain, (isTerminated ? ["--"] : []) + words.dropFirst())
    }

    /// Writes.
    func run() throws(ToolError) {
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        var isArgument = true
        let request = try WriteRequest(arguments: rest) { () throws(ToolError) in
            isArgument = false
            return try TypedText.value(ofKey: rest.first { $0 != "--" } ?? "", in: place)
        }
        if case .replace(let entries) = request {
            try RemovalQuestion.ask(about: place, replacedBy: entries, consent: "use `keyspan import` with --yes")
        }
        try request.run(on: place, isArgument: isArgument)
    }
}
