/// The arguments of macOS `defaults` that have another form here, or no meaning.
enum DefaultsArgument: CaseIterable {
    /// The domain that all programs read.
    case globalDomain
    /// A program by the name that people know it by.
    case application
    /// Settings for one machine.
    case host

    /// The argument that a word is; `nil` for any other word.
    init?(_ word: String) {
        guard let argument = Self.allCases.first(where: { $0.words.contains(word) }) else { return nil }
        self = argument
    }

    /// The first argument that only `defaults` has; `nil` if there is none before a terminator.
    init?(in arguments: some Sequence<String>) {
        for word in arguments.prefix(while: { $0 != "--" }) {
            guard let argument = Self(word) else { continue }
            self = argument
            return
        }
        return nil
    }

    private var words: [String] {
        switch self {
        case .globalDomain: ["-g", "-globalDomain", "NSGlobalDomain"]
        case .application: ["-app"]
        case .host: ["-currentHost", "-host"]
        }
    }

    /// The answer to its use: the reason and the remedy.
    var error: ToolError {
        let names = words.joined(separator: " and ")
        return switch self {
        case .globalDomain:
            .usage(
                "There is no global domain, so -g, -globalDomain and NSGlobalDomain name nothing; name the domain of a "
                    + "program, as `keyspan domains` lists them."
            )
        case .application:
            .usage(
                "\(names) of the macOS command is not needed; give the name of the program as the domain, as in "
                    + "`keyspan read greeter`."
            )
        case .host:
            .usage(
                "There are no settings by host, so \(names) of the macOS command have no meaning; leave them out, or give "
                    + "the path of a file that belongs to the machine, such as /etc/greeter/settings.json."
            )
        }
    }
}
