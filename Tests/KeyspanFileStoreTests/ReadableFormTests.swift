import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private enum Theme: String, Codable, CaseIterable, Defaults.Serializable {
    case light, dark
}

private enum Mode: Codable, CaseIterable, Defaults.Serializable {
    case fast, safe
}

private enum Weight: Int, CaseIterable, Defaults.Serializable {
    case thin = 100
    case bold = 700
}

private struct Server: Codable, Equatable, Defaults.Serializable {
    var host: String
    var port: Int
    var timeout: Duration?
}

private struct Keys: KeyGroup {
    let theme = Key<Theme>("theme", default: .light)
    let mode = Key<Mode>("mode", default: .safe)
    let weight = Key<Weight>("weight", default: .thin)
    let home = Key<URL?>("home")
    let servers = Key<[Server]>("servers", default: [])
    let mirrors = Key<[String: URL]>("mirrors", default: [:])
    let limits = Key<[Int: Double]>("limits", default: [:])
    let start = Key<Date?>("start")
    let text = Key<Server?>.jsonCoded("text")
}

/// The forms that keys write to the files of people, and to others.
@Suite struct ReadableFormTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let readable = """
        {
          "home": "https://example.com/a",
          "limits": {
            "1": 0.5
          },
          "mirrors": {
            "eu": "https://eu.example.com"
          },
          "mode": "fast",
          "servers": [
            {
              "host": "db",
              "port": 5432,
              "timeout": "1m30s"
            }
          ],
          "theme": "dark"
        }

        """

    private static func write(_ settings: Defaults.Group<Keys>) throws {
        settings.theme = .dark
        settings.mode = .fast
        settings.home = URL(string: "https://example.com/a")
        settings.servers = [Server(host: "db", port: 5432, timeout: .seconds(90))]
        settings.mirrors = ["eu": try #require(URL(string: "https://eu.example.com"))]
        settings.limits = [1: 0.5]
    }

    private static func check(_ settings: Defaults.Group<Keys>) {
        #expect(settings.theme == .dark)
        #expect(settings.mode == .fast)
        #expect(settings.home == URL(string: "https://example.com/a"))
        #expect(settings.servers == [Server(host: "db", port: 5432, timeout: .seconds(90))])
        #expect(settings.mirrors["eu"] == URL(string: "https://eu.example.com"))
        #expect(settings.limits == [1: 0.5])
    }

    @Test func `a new JSON file has the form that people write`() throws {
        do {
            let store = try JSONFileStore(path: folder.path("settings.json"))
            try Self.write(Defaults.Group<Keys>(store))
            try store.synchronize()
        }
        #expect(try String(decoding: folder.bytes(of: "settings.json"), as: UTF8.self) == Self.readable)
        Self.check(Defaults.Group<Keys>(try JSONFileStore(path: folder.path("settings.json"))))
    }

    @Test func `a value keeps the form that the file has it in`() throws {
        let path = folder.path("settings.json")
        do {
            let store = try JSONFileStore(path: path, options: FileStoreOptions(valueForm: .jsonText))
            try Self.write(Defaults.Group<Keys>(store))
            try store.synchronize()
            #expect(store.value(forKey: "theme") == "\"dark\"" && store.value(forKey: "mode") == #"{"fast":{}}"#)
        }
        let store = try JSONFileStore(path: path)
        let settings = Defaults.Group<Keys>(store)
        Self.check(settings)
        settings.theme = .light
        settings.mode = .safe
        settings.servers.append(Server(host: "cache", port: 6379))
        settings.mirrors["us"] = URL(string: "https://us.example.com")
        settings.limits[2] = 1
        settings.home = URL(string: "https://example.com/b")
        let after = store.snapshot()
        #expect(after["theme"] == "\"light\"" && after["mode"] == #"{"safe":{}}"#)
        #expect(after["servers"]?.arrayValue?.last == #"{"host":"cache","port":6379}"#)
        #expect(after["mirrors"]?.dictionaryValue?["us"] == #""https:\/\/us.example.com""#)
        #expect(after["limits"] == ["1": "0.5", "2": "1"])
        #expect(after["home"] == #""https:\/\/example.com\/b""#)
        settings.update { settings in settings.theme = .dark }
        #expect(store.value(forKey: "theme") == "\"dark\"")
    }

    @Test func `stores that name no form have JSON text`() throws {
        let list = try PropertyListFileStore(path: folder.path("settings.plist"))
        for store in [InMemoryStore(), list] as [any PropertyListStore] {
            #expect(store.valueForm == .jsonText)
            let settings = Defaults.Group<Keys>(store)
            try Self.write(settings)
            #expect(store.value(forKey: "theme") == "\"dark\"")
            Self.check(settings)
        }
    }

    @Test func `the layer that is written has the form`() throws {
        let file = try JSONFileStore(path: folder.path("settings.json"))
        let store = LayeredStore([
            .init("memory", InMemoryStore()), .init("file", file, isWritable: true), .init("defaults", InMemoryStore()),
        ])
        #expect(store.valueForm == .readable)
        try Self.write(Defaults.Group<Keys>(store))
        #expect(file.value(forKey: "theme") == "dark")
        #expect(file.value(forKey: "servers") == [["host": "db", "port": 5432, "timeout": "1m30s"]])
    }

    @Test func `a key with a bridge of its own keeps the form of that`() throws {
        let store = try JSONFileStore(path: folder.path("settings.json"))
        Defaults.Group<Keys>(store).text = Server(host: "db", port: 1)
        #expect(store.value(forKey: "text") == #"{"host":"db","port":1}"#)
    }

    @Test(arguments: [
        ("2026-11-21T10:50:00Z" as PropertyListValue, "2026-11-21T10:50:01Z" as PropertyListValue),
        (.date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 816_951_001))),
    ])
    func `a date keeps the form of a person`(before: PropertyListValue, after: PropertyListValue) throws {
        let store = try JSONFileStore(path: folder.path("settings.json"))
        store.set(before, forKey: "start")
        Defaults.Group<Keys>(store).start = Date(timeIntervalSinceReferenceDate: 816_951_001)
        #expect(store.value(forKey: "start") == after)
    }

    @Test func `cases are read by their names`() throws {
        try folder.overwrite("settings.json", #"{"mode": "fast", "weight": "bold", "theme": "dark"}"#)
        let settings = Defaults.Group<Keys>(try JSONFileStore(path: folder.path("settings.json")))
        #expect(settings.mode == .fast && settings.weight == .bold && settings.theme == .dark)
    }

    @Test(arguments: [
        ("mode", #""quick""#, "one of fast, safe"), ("theme", #""Dark""#, "one of light, dark"),
        ("weight", #""heavy""#, "one of thin, bold"), ("weight", "5", "one of thin, bold"),
    ])
    func `an error lists the cases`(key: String, value: String, cases: String) throws {
        try folder.overwrite("settings.json", "{\"\(key)\": \(value)}")
        let store = try JSONFileStore(path: folder.path("settings.json"))
        let error = #expect(throws: Defaults.ValidationError.self) { try Defaults.Group<Keys>(store).validate() }
        #expect(error.map { "\($0)" }?.contains(cases) == true, "\(error.map { "\($0)" } ?? "")")
    }
}
