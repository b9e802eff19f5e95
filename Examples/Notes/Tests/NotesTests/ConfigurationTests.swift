import Configuration
import Foundation
import Keyspan
import KeyspanConfiguration
import Logging
import Mailer
import NotesShared
import ServiceLifecycle
import Synchronization
import SystemPackage
import Testing

/// The settings beside swift-configuration, both ways.
@Suite struct ConfigurationTests {
    @Test func `a library that reads a ConfigReader sees the settings of a file, live`() async throws {
        let folder = try TestFolder()
        let path = try folder.settings(#"{"title": "Notes", "limits": {"notes": 20}, "server": {"token": "secret"}}"#)
        let settings = Defaults.Group<NotesKeys>(try JSONFileStore(path: path, keys: NotesKeys.allKeys))
        let mailer = Mailer(ConfigReader(provider: KeyspanProvider(settings)))
        #expect(mailer.notesInMail == 20 && mailer.hasToken)

        let running = Task { try await mailer.run() }
        try await eventually("the mailer follows the title") { mailer.subject == "News of Notes" }
        // The program changes a setting, and then somebody edits the file.
        try settings.set("Shopping", for: \.title)
        settings.limits.notes = 30
        try await eventually("the mailer has the new title") { mailer.subject == "News of Shopping" }
        #expect(mailer.notesInMail == 30)
        try await settings.store.synchronize()
        _ = try folder.settings(#"{"title": "Edited", "limits": {"notes": 40}}"#)
        try await eventually("the mailer has the edited file") {
            mailer.subject == "News of Edited" && mailer.notesInMail == 40 && !mailer.hasToken
        }
        running.cancel()
        _ = await running.result
    }

    @Test func `a YAML file of a reloading provider is a layer of keys, live`() async throws {
        let folder = try TestFolder()
        let file = folder.url.appendingPathComponent("notes.yaml")
        func write(_ text: String) throws { try Data(text.utf8).write(to: file, options: .atomic) }
        try write("title: From YAML\nrefreshInterval: 1m30s\nlimits:\n  notes: 5\nlabels: [food, drink]\n")
        let failures = Mutex(0)
        let provider = try await ReloadingFileProvider<YAMLSnapshot>(
            filePath: FilePath(file.path),
            pollInterval: .milliseconds(20),
            logger: Logger(label: "test") { _ in FailureCounter { failures.withLock { $0 += 1 } } }
        )
        let yaml = ConfigurationStore(provider, keys: NotesKeys.allKeys)
        let memory = InMemoryStore()
        let settings = Defaults.Group<NotesKeys>(
            LayeredStore([.init("memory", memory, isWritable: true), .init("yaml", yaml)])
        )
        #expect(settings.title == "From YAML" && settings.refreshInterval == .seconds(90))
        #expect(settings.limits.notes == 5 && settings.labels == ["food", "drink"])
        let row = try #require(settings.describe().rows.first { $0.name == "title" })
        #expect("\(try #require(row.provenance))".contains("ReloadingFileProvider"), "\(row)")

        // As a service of a group, which polls the file.
        let group = ServiceGroup(services: [provider], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        try write("title: Edited\nrefreshInterval: 2m\nlimits:\n  notes: 6\n")
        try await eventually("the layer has the edited file") {
            settings.title == "Edited" && settings.limits.notes == 6
        }
        #expect(settings.refreshInterval == .seconds(120) && settings.labels == ["home", "work"])
        // A version that cannot be parsed changes nothing.
        try write("title: [\n")
        try await eventually("the provider has refused the version") { failures.withLock(\.self) > 0 }
        #expect(settings.title == "Edited")
        settings.title = "In memory"
        #expect(settings.title == "In memory" && yaml.snapshot()["title"] == "Edited")
        await group.triggerGracefulShutdown()
        try await running.value
    }
}

/// Calls a closure for each failure that the provider logs.
private struct FailureCounter: LogHandler {
    let count: @Sendable () -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(_ count: @escaping @Sendable () -> Void) { self.count = count }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { if event.message.description.hasPrefix("Reload check failed") { count() } }
}
