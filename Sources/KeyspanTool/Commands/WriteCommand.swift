import ArgumentParser
import Keyspan

/// `write`: stores a value, or replaces a domain.
struct WriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Store a value under a key, or replace a whole domain.",
        usage: """
            keyspan write <domain> <key> <value>
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

            Values in an array or dictionary have options of their own: -dict width -int 3. -array-add appends to the \
            array that is there, -dict-add sets entries of the dictionary that is there; both make it if the key is \
            absent.

            A text without an option is read as a property list if it begins like one: old-style, as in '(a, "b c")', \
            '{a = 1; b = <0fbd77>;}' and '"quoted"'; JSON, as in '[1, 2]' and '{"a": true}'; or XML. Any other text is \
            a string, and so are digits: 5 stores the string 5, -int 5 the number. The same holds inside old-style \
            property lists, which have no numbers.

            A dictionary in place of the key replaces all keys of the domain in one step.
            """
    )

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The domain, the key and the value.", valueName: "word"),
        completion: .writeWord
    )
    var words: [String] = []

    func run() throws {
        // Everything is captured, so that the options of values reach their own grammar; so are these two.
        let words = words.first == "--" ? words.dropFirst() : words[...]
        guard let domain = words.first else { throw ToolError.usage("A domain is missing; see `keyspan help write`.") }
        guard domain != "--help", domain != "-h" else { throw CleanExit.helpRequest(Self.self) }
        let place = try Domain(argument: domain, in: DomainFolder())
        let request = try WriteRequest(arguments: Array(words.dropFirst()))
        try place.write { (table, batch) throws(ToolError) in
            try request.add(to: &batch, on: table)
        }
    }
}
