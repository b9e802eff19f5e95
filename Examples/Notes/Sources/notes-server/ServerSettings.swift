import Keyspan
import KeyspanService
import Logging
import NotesShared

/// The keys of the server: those that it shares with its clients, and those of the server alone.
struct NotesServerKeys: KeyGroup {
    let notes = NotesKeys()
    let logLevel = Key<Logger.Level>("logLevel", default: .info)
        .summary("The lowest level of messages in the log.")
    let darkShare = Key<Defaults.Percentage>("darkShare", default: 0)
        .validated(by: .range(0...100))
        .summary("The share of remote clients that have the dark theme, whatever the theme is.")
    let signingKey = Key<String?>("signingKey")
        .validated(by: .ifPresent(.signingKey))
        .secret()
        .summary("The key that signs the settings of remote clients; without one, there are none.")
}

/// The settings of the server: arguments above variables, these above secrets, these above the file, and the defaults of the keys below.
struct ServerSettings: Sendable {
    let group: Defaults.Group<NotesServerKeys>

    /// The values, for what takes keys.
    var defaults: Defaults { Defaults(group.store) }

    /// The settings that the clients know as well.
    var notes: Defaults.Group<NotesKeys> { group.notes }

    /// Opens the layers.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the program: the path of the file, and settings such as `--title=Shopping`.
    ///   - environment: The variables, such as `NOTES_TITLE`; those of the process if `nil`.
    ///   - secrets: The path of a folder with one file for each secret, such as `server.token`. It does not need to exist.
    /// - Throws: An error that says which argument, variable, secret or line of the file is wrong: a server with a misspelt setting
    ///   does not start.
    init(arguments: [String], environment: [String: String]? = nil, secrets: String = "/run/secrets") throws {
        let keys = NotesServerKeys.allKeys
        let path = Self.path(in: arguments)
        let layers = LayeredStore([
            .init(
                "arguments",
                try LaunchArgumentsStore(
                    arguments,
                    keys: keys,
                    unknownNames: .strict,
                    alsoKnown: ["--help", "--check-health"]
                )
            ),
            .init(
                "environment",
                try EnvironmentStore(prefix: "NOTES_", keys: keys, unknownNames: .strict, environment: environment)
            ),
            .init(
                "secrets",
                // Docker mounts secrets with mode 0444, and the container has one user.
                try SecretFolderStore(
                    path: secrets,
                    keys: keys,
                    unknownNames: .strict,
                    isOptional: true,
                    allowsWorldReadable: true
                )
            ),
            .init("file", try JSONFileStore(path: path, keys: keys, unknownNames: .strict), isWritable: true),
        ])
        group = Defaults.Group(layers)
        try group.validate()
    }

    /// The address of the server, for its health check.
    ///
    /// A file that became unusable while the server runs is passed over: the server keeps the values before.
    static func address(arguments: [String], environment: [String: String]? = nil) -> Defaults.HostAndPort {
        let keys = NotesServerKeys.allKeys
        var layers: [LayeredStore.Layer] = [
            .init("arguments", LaunchArgumentsStore(arguments)),
            .init("environment", EnvironmentStore(prefix: "NOTES_", keys: keys, environment: environment)),
        ]
        let options = FileStoreOptions(journal: .none)
        if let file = try? JSONFileStore(
            path: path(in: arguments),
            keys: keys,
            unknownNames: .areIgnored,
            options: options
        ) {
            layers.append(.init("file", file))
        }
        return Defaults.withProblemHandler({ _ in }) {
            Defaults.Group<NotesServerKeys>(LayeredStore(layers)).notes.server.listen
        }
    }

    /// The path of the file: the first argument, because a later one may be the value of `-title Shopping`.
    private static func path(in arguments: [String]) -> String {
        arguments.dropFirst().first.flatMap { $0.hasPrefix("-") ? nil : $0 } ?? "settings.json"
    }

    /// Replaces the layers, for tests.
    init(_ store: any PropertyListStore) {
        group = Defaults.Group(store)
    }
}
