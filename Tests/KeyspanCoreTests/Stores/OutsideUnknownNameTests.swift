@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Variables and arguments that no key has are found.
@Suite(.seeded) struct OutsideUnknownNameTests {
    private static let keys: [Defaults.AnyKey] = [
        Defaults.Key<Int>("port", default: 80), Defaults.Key<Int>("tls.port", default: 443),
        Defaults.Key<Int>("maxURLLength", default: 1), Defaults.Key<[String: Int]>("limits", default: [:]),
        Defaults.Key<Bool>("color", default: true), Defaults.Key<Bool>("noCache", default: false),
    ]

    @Test(arguments: [
        ("-----BEGIN KEY-----\nMIIEvQ", "arguments \"-----BEGIN…\""), ("--a b", "arguments \"--a…\""),
        ("--" + String(repeating: "a", count: 200), "arguments \"--" + String(repeating: "a", count: 126) + "…\""),
    ])
    func `a value that looks like an argument is not reported as a whole`(_ argument: String, _ start: String) {
        let reported = reportedProblems {
            _ = LaunchArgumentsStore(["--tls-key", argument], keys: Self.keys)
        }
        #expect(reported.count == 2 && reported.last?.hasPrefix(start) == true, "\(reported)")
    }

    /// Variables, and the message for each that is reported.
    @Test(
        arguments: [
            ("P_PORT", nil), ("P_TLS__PORT", nil), ("P_MAX_URL_LENGTH", nil), ("P_LIMITS", nil), ("PATH", nil),
            ("P_LIMITS__CPU", nil), ("P_LIMITS__CPU__MAX", nil), ("P_HOME", nil), ("OTHER_P_PROT", nil),
            ("P_PROT", "environment variable P_PROT: no key has this variable; did you mean P_PORT?"),
            ("P_port", "environment variable P_port: no key has this variable; did you mean P_PORT?"),
            ("P_TLS_PORT", "environment variable P_TLS_PORT: no key has this variable; did you mean P_TLS__PORT?"),
            (
                "P_TLS",
                "environment variable P_TLS: no key has this variable; it is a group of keys: give them values one at a time, "
                    + "such as P_TLS__PORT."
            ),
            ("P_HOMES", "environment variable P_HOMES: no key has this variable; did you mean P_HOME?"),
            (
                "P_SOMETHING_ELSE",
                "environment variable P_SOMETHING_ELSE: no key has this variable; remove it, declare a key for it, or name it in "
                    + "`alsoKnown`."
            ),
            (
                "P_\u{1B}[2J",
                #"environment variable "P_\u{1B}[2J": no key has this variable; remove it, declare a key for it, "#
                    + "or name it in `alsoKnown`."
            ),
        ] as [(String, String?)]
    )
    func `a variable with the prefix that no key has is reported with the nearest key's`(
        _ variable: String,
        _ message: String?
    ) throws {
        let environment = [variable: "hidden"]
        let reported = reportedProblems {
            _ = EnvironmentStore(prefix: "P_", keys: Self.keys, alsoKnown: ["P_HOME"], environment: environment)
        }
        #expect(reported == (message.map { [$0] } ?? []))
        func openStrictly() throws(Defaults.UnknownNamesError) {
            _ = try EnvironmentStore(
                prefix: "P_",
                keys: Self.keys,
                unknownNames: .strict,
                alsoKnown: ["P_HOME"],
                environment: environment
            )
        }
        if let message {
            let error = #expect(throws: Defaults.UnknownNamesError.self) { try openStrictly() }
            #expect(error?.description == message)
            #expect(error?.names.map(\.name) == [variable])
            #expect(error?.names.map(\.kind) == [.variable])
        } else {
            try openStrictly()
        }
    }

    @Test func `a store without keys or without a prefix knows no names`() throws {
        let environment = ["P_PROT": "1", "PROT": "1"]
        let reported = try reportedProblems {
            _ = EnvironmentStore(prefix: "P_", environment: environment)
            _ = EnvironmentStore(prefix: "", keys: Self.keys, environment: environment)
            _ = try EnvironmentStore(prefix: "", keys: Self.keys, unknownNames: .strict, environment: environment)
            _ = try EnvironmentStore(prefix: "P_", keys: [], unknownNames: .strict, environment: environment)
            _ = try EnvironmentStore(prefix: "P_", keys: Self.keys, unknownNames: .areIgnored, environment: environment)
            _ = LaunchArgumentsStore(["--prot"])
            _ = try LaunchArgumentsStore(["--prot"], keys: [], unknownNames: .strict)
            _ = try LaunchArgumentsStore(["--prot"], keys: Self.keys, unknownNames: .areIgnored)
        }
        #expect(reported == [])
        let explicit = try reportedProblems {
            _ = try EnvironmentStore(
                prefix: "P_",
                keys: Self.keys,
                unknownNames: .areReported,
                environment: environment
            )
            _ = try LaunchArgumentsStore(["--prot"], keys: Self.keys, unknownNames: .areReported)
        }
        #expect(explicit.count == 2)
    }

    @Test func `a name that is found before there is a handler is on standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let key = Defaults.Key<Int>("port", default: 80)
            _ = EnvironmentStore(prefix: "P_", keys: [key], environment: ["P_PROT": "1"])
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("keyspan: environment variable P_PROT: no key has this variable; did you mean P_PORT?\n"))
    }

    /// Arguments, those that are unknown, and what is suggested for each.
    @Test(
        arguments: [
            (["greeter", "--port=1", "--tls.port=2", "--limits.cpu=3", "--color", "--no-color", "--no-cache"], []),
            (["--help", "--output=x", "file", "-prot", "8080", "-v"], []),
            (["--max-url-length=1", "--maxURLLength=1"], []),
            (["--prot=1", "--prot=2"], [("--prot", "--port")]),
            (["--tls-port=1"], [("--tls-port", "--tls.port")]),
            (["--colour", "--no-colour"], [("--colour", "--color"), ("--no-colour", "--no-color")]),
            (["--no-cahe"], [("--no-cahe", "--no-cache")]),
            (["--no-color=1"], [("--no-color", nil)]),
            (["--hepl"], [("--hepl", "--help")]),
            (["--=1", "--something-else"], [("--", nil), ("--something-else", nil)]),
            (["--", "--prot=1"], []),
            (["-port", "1", "--prot", "2"], [("--prot", "--port")]),
        ] as [([String], [(String, String?)])]
    )
    func `an argument with two hyphens that no key has is reported with the nearest key's`(
        _ arguments: [String],
        _ unknown: [(String, String?)]
    ) throws {
        let alsoKnown = ["--help", "--output"]
        let names = ArgumentNames(keys: Self.keys, spelling: .camelCase).unknown(
            among: arguments.map { OutsideText($0) },
            alsoKnown: alsoKnown,
            store: "arguments"
        )
        #expect(names.map(\.name) == unknown.map(\.0))
        #expect(names.map(\.suggestion) == unknown.map(\.1))
        let reported = reportedProblems { _ = LaunchArgumentsStore(arguments, keys: Self.keys, alsoKnown: alsoKnown) }
        #expect(reported == names.map(\.description))
        let outcome = Result {
            try LaunchArgumentsStore(arguments, keys: Self.keys, unknownNames: .strict, alsoKnown: alsoKnown)
        }
        switch outcome {
        case .success: #expect(unknown.isEmpty)
        case .failure(let error): #expect((error as? Defaults.UnknownNamesError)?.names == names)
        }
    }

    @Test func `the message names the argument and not its value`() {
        let arguments = ["--prot=hidden", "--tls=hidden", "--x\u{1B}=hidden"]
        let reported = reportedProblems { _ = LaunchArgumentsStore(arguments, keys: Self.keys) }
        #expect(
            reported == [
                "arguments --prot: no key has this argument; did you mean --port?",
                "arguments --tls: no key has this argument; it is a group of keys: give them values one at a time, such as "
                    + "--tls.port.",
                #"arguments "--x\u{1B}": no key has this argument; remove it, declare a key for it, or name it in `alsoKnown`."#,
            ]
        )
    }

    @Test func `an argument that is not UTF-8 is unknown`() {
        let names = ArgumentNames(keys: Self.keys, spelling: .camelCase).unknown(
            among: [OutsideText([0x2D, 0x2D, 0xFF, 0x3D, 0x31])],
            alsoKnown: [],
            store: "arguments"
        )
        #expect(names.map(\.name) == ["--\u{FFFD}"])
    }

    @Test func `no name of a key is unknown, and a misspelt one is reported with the key's`() throws {
        for seed in SeededGenerator.seeds(100) { try verifyNames(seed: seed) }
    }

    private func verifyNames(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let names = Set((0..<5).map { _ in Self.keyName(&generator) })
        let keys = names.map { Defaults.Key<String>($0, default: "") }
        let (variables, arguments) = (
            VariableNames(prefix: "P_", keys: keys, spelling: .camelCase),
            ArgumentNames(keys: keys, spelling: .camelCase)
        )
        func unknownVariables(_ names: [String]) -> [Defaults.UnknownName] {
            variables.unknown(among: names, alsoKnown: []) { Provenance([.init(store: $0)]) }
        }
        func unknownArguments(_ names: [String]) -> [Defaults.UnknownName] {
            arguments.unknown(among: names.map { OutsideText($0) }, alsoKnown: [], store: "arguments")
        }
        let ownVariables = try names.map { try #require(variables.variable(ofKey: $0)) }
        let ownArguments = try names.map { try #require(arguments.argument(ofKey: $0)) }
        try #require(unknownVariables(ownVariables) == [], "seed \(seed)")
        try #require(unknownVariables(ownVariables.map { $0 + "__MEMBER" }) == [], "seed \(seed)")
        try #require(unknownArguments(ownArguments + ownArguments.map { $0 + "=x" }) == [], "seed \(seed)")
        func verifySuggestion(_ name: String, _ prefix: String, isRead: Bool, _ found: [Defaults.UnknownName]) throws {
            try #require(found.map(\.name) == (isRead ? [] : [name]), "seed \(seed): \(name)")
            let near = (prefix == "--" ? ownArguments : ownVariables).filter {
                Self.isOneChange(from: String($0.dropFirst(2)), to: String(name.dropFirst(2)))
            }
            if !isRead { try #require(found[0].suggestion == near.min(), "seed \(seed): \(name)") }
        }
        for own in ownVariables {
            let misspelt = "P_" + Self.misspelt(own.dropFirst(2), "ABXYZ", &generator)
            let isRead = variables.keys(ofVariable: misspelt).contains(where: variables.isRead(key:))
            try verifySuggestion(misspelt, "P_", isRead: isRead, unknownVariables([misspelt]))
        }
        for own in ownArguments {
            let misspelt = "--" + Self.misspelt(own.dropFirst(2), "abxyz", &generator)
            let isRead = ownArguments.contains { misspelt == $0 || misspelt.hasPrefix($0 + ".") }
            try verifySuggestion(misspelt, "--", isRead: isRead, unknownArguments([misspelt + "=x"]))
        }
    }

    private static func keyName(_ generator: inout SeededGenerator) -> String {
        let words = ["port", "host", "max", "level", "timeout", "url"]
        return (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            let chosen = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                words[Int.random(in: 0..<words.count, using: &generator)]
            }
            return chosen[0] + chosen.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }.joined(separator: ".")
    }

    /// The text with one letter replaced, removed or inserted, but none of the characters between words.
    private static func misspelt(
        _ text: Substring,
        _ letters: String,
        _ generator: inout SeededGenerator
    ) -> String {
        var characters = Array(text)
        let places = characters.indices.filter { characters[$0].isLetter }
        let place = places[Int.random(in: 0..<places.count, using: &generator)]
        let letter = Array(letters)[Int.random(in: 0..<letters.count, using: &generator)]
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: characters[place] = characters[place] == letter ? "Q" : letter
        case 1: characters.remove(at: place)
        default: characters.insert(letter, at: place)
        }
        return String(characters)
    }

    /// Whether one character was replaced, removed, inserted or swapped with the next one, case aside.
    private static func isOneChange(from left: String, to right: String) -> Bool {
        let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
        if abs(left.count - right.count) > 1 { return false }
        let start = zip(left, right).prefix { $0 == $1 }.count
        let end = min(
            zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count,
            min(left.count, right.count) - start
        )
        let (oldPart, newPart) = (left[start..<(left.count - end)], right[start..<(right.count - end)])
        return oldPart.count <= 1 && newPart.count <= 1
            || oldPart.count == 2 && newPart.count == 2 && Array(oldPart) == newPart.reversed()
    }
}
