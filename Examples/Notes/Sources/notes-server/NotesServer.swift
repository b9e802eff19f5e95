import Hummingbird
import Keyspan
import KeyspanConsole
import KeyspanRemote
import KeyspanService
import Logging
import Metrics
import NotesShared
import ServiceLifecycle
import UnixSignals

// Without Foundation, a static program is much smaller.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Serves notes.
///
///     notes-server settings.json --title="Shopping list"
///     notes-server settings.json --check-health
///     notes-server --new-signing-key=2026-11
///     notes-server --help
@main
struct NotesServer {
    static func main() async {
        do {
            if CommandLine.arguments.contains("--help") { return try printHelp() }
            if CommandLine.arguments.contains("--check-health") {
                return try await HealthCheck.run(ServerSettings.address(arguments: CommandLine.arguments))
            }
            if let key = try SigningKey.generate(for: CommandLine.arguments) { return print(key.text) }
            let settings = try ServerSettings(arguments: CommandLine.arguments)
            let metrics = MetricsPage()
            MetricsSystem.bootstrap(metrics)
            LoggingSystem.bootstrap { label in
                LiveLogHandler(
                    StreamLogHandler.standardError(label: label),
                    level: NotesServerKeys().logLevel,
                    in: settings.defaults
                )
            }
            Defaults.log(problemsTo: Logger(label: "settings"))
            let logger = Logger(label: "notes")
            for row in settings.group.describe().rows {
                let source = row.provenance.map { "\($0)" } ?? "default"
                logger.info(
                    "setting",
                    metadata: ["name": "\(row.name)", "value": "\(row.value)", "source": "\(source)"]
                )
            }
            try await run(settings, metrics: metrics, logger: logger)
        } catch {
            writeLine("notes-server: \(error)", to: STDERR_FILENO)
            exit(1)
        }
    }

    /// Runs the services until `SIGTERM` or `SIGINT`, and saves the settings at the end.
    static func run(
        _ settings: ServerSettings,
        metrics: MetricsPage,
        logger: Logger,
        signals: [UnixSignal] = [.sigterm, .sigint],
        onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let notebook = Notebook(settings.notes)
        let page = LivePage(settings.notes)
        let signingKey = try settings.group.signingKey.map(SigningKey.init(text:))
        let publisher = try signingKey.map { try SettingsPublisher(of: settings, signingKey: $0) }
        if let signingKey {
            logger.notice("remote clients need the public key \(signingKey.verificationKey.text)")
        }
        let routes = Routes(
            settings: settings.notes,
            notebook: notebook,
            page: page,
            metrics: metrics,
            console: SettingsConsole(of: settings),
            publisher: publisher
        )
        let listen = settings.notes.server.listen
        let server = Application(
            router: routes.router,
            configuration: .init(address: .hostname(listen.host, port: Int(listen.port)), serverName: "notes"),
            onServerRunning: { channel in await onServerRunning(channel.localAddress?.port ?? 0) },
            logger: logger
        )
        let service = KeyspanService(settings.defaults, logger: logger, metricsFactory: metrics)
        let follower = SettingsFollower(settings: settings, notebook: notebook, publisher: publisher, logger: logger)
        // The settings end last: when they are saved, nobody changes them anymore.
        var configuration = service.groupConfiguration(with: [page, follower, server])
        configuration.gracefulShutdownSignals = signals
        try await ServiceGroup(configuration: configuration).run()
    }

    /// Writes a line at once, without a buffer whose rest a crash would lose.
    static func writeLine(_ line: String, to descriptor: Int32) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    private static func printHelp() throws {
        let settings = try ServerSettings(arguments: CommandLine.arguments)
        print(
            """
            usage: notes-server [settings.json] [--setting=value …]
                   notes-server [settings.json] --check-health         fail unless the running server answers
                   notes-server --new-signing-key=<identifier>         print a new key for the setting signingKey

            Settings:
            """
        )
        print(settings.group.help(), terminator: "")
    }
}
