import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

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

/// A type that reads a member which it does not write.
private struct Ticket: Codable, Equatable, Defaults.Serializable {
    var id: Int
    var note: String?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
    }
}

private struct Cast: Codable, Equatable, Defaults.Serializable {
    var names: Set<String>
    var wait: Duration
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

    init() throws { folder = try TemporaryFolder() }

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

    @Test func `a level by name and a number for a decimal stay what they are`() throws {
        let weights = Defaults.Key<[Weight]>("weights", default: [])
        let prices = Defaults.Key<[String: Decimal]>("prices", default: [:])
        let price = Defaults.Key<Decimal>("price", default: 0)
        let keys: [Defaults.AnyKey] = [weights, prices, price, Keys().weight]
        try folder.write(
            Array(
                #"{"weight": "thin", "weights": ["bold", "thin"], "price": 1.5, "prices": {"a": 1, "b": 2.25}}"#.utf8
            ),
            to: "settings.json"
        )
        let store = try JSONFileStore(path: folder.path("settings.json"), keys: keys)
        let defaults = Defaults(store)
        let settings = Defaults.Group<Keys>(store)
        settings.weight = .bold
        defaults[weights].append(.bold)
        #expect(store.value(forKey: "weight") == "bold" && store.value(forKey: "weights") == ["bold", "thin", "bold"])
        defaults[price] = try #require(Decimal(string: "2.1"))
        #expect(store.value(forKey: "price") == 2.1)
        defaults[prices]["c"] = 3
        #expect(store.value(forKey: "prices") == ["a": 1, "b": 2.25, "c": 3])
        // A number would lose digits.
        defaults[price] = try #require(Decimal(string: "2.000000000000000000001"))
        #expect(store.value(forKey: "price") == "2.000000000000000000001")
        defaults[price] = 2
        #expect(store.value(forKey: "price") == "2")
        #expect(settings.weight == .bold && defaults[weights] == [.bold, .thin, .bold] && defaults[price] == 2)

        // New values are raw values and texts, and a raw value stays one.
        let fresh = try JSONFileStore(path: folder.path("new.json"), keys: keys)
        Defaults.Group<Keys>(fresh).weight = .bold
        Defaults(fresh)[price] = 1.5
        #expect(fresh.value(forKey: "weight") == 700 && fresh.value(forKey: "price") == "1.5")
        Defaults.Group<Keys>(fresh).weight = .thin
        #expect(fresh.value(forKey: "weight") == 100)
    }

    @Test func `a text that reads as another value of the same form is replaced`() throws {
        try folder.overwrite("settings.json", #"{"ticket": {"id": 1, "note": "old"}}"#)
        let key = Defaults.Key<Ticket?>("ticket")
        let defaults = Defaults(try JSONFileStore(path: folder.path("settings.json")))
        #expect(defaults[key] == Ticket(id: 1, note: "old"))
        defaults[key] = Ticket(id: 1)
        #expect(defaults[key] == Ticket(id: 1))
    }

    @Test func `a value that is written again as it is keeps its text`() throws {
        let text = """
            {
              "text": {"port": 1, "host": "db"},
              "theme": "\\u0064ark",
              "weight": "bold",
              "ratio": 1,
              "small": 0.1,
              "price": 1.50,
              "timeout": "90s",
              "mirrors": {"eu": "https:\\/\\/eu.example.com"},
              "servers": [ {"port": 5432, "host": "db", "timeout": "90s", "unknown": 1} ],
              "prices": { "1": 0.10 },
              "days": { "1": "2026-11-21T11:50:00+01:00" },
              "visits": { "first": "2026-11-21T11:50:00+01:00" },
              "ids": ["6f1a0a3c-55a5-4a31-9c3f-0c8b7b6c1e57"],
              "waits": ["1d", "90s"],
              "sizes": [3, 1, 2]
            }
            """
        func write<Value: Defaults.Serializable & Sendable>(_ name: String, _ type: Value.Type, to store: JSONFileStore)
            throws
        {
            let key = Defaults.Key<Value?>(name)
            let value = try #require(try Defaults(store).value(for: key))
            try Defaults(store).set(value, for: Defaults.Key<Value?>(name))
            try Defaults(store).commit { $0[Defaults.Key<Value?>(name)] = value }
        }
        try folder.overwrite("settings.json", text)
        do {
            let store = try JSONFileStore(path: folder.path("settings.json"))
            try write("theme", Theme.self, to: store)
            try write("weight", Weight.self, to: store)
            try write("ratio", Double.self, to: store)
            try write("small", Float.self, to: store)
            try write("price", Decimal.self, to: store)
            try write("timeout", Duration.self, to: store)
            try write("mirrors", [String: URL].self, to: store)
            try write("servers", [Server].self, to: store)
            try write("prices", [Int: Decimal].self, to: store)
            try write("days", [Int: Date].self, to: store)
            try write("visits", [String: Date].self, to: store)
            try write("ids", [UUID].self, to: store)
            try write("waits", [Duration].self, to: store)
            try write("sizes", Set<Int>.self, to: store)
            let settings = Defaults.Group<Keys>(store)
            settings.text = settings.text
            try store.synchronize()
        }
        // The last store on a file saves it whole.
        #expect(try String(decoding: folder.bytes(of: "settings.json"), as: UTF8.self) == text)
        let store = try JSONFileStore(path: folder.path("settings.json"))
        // Another value has its own form, and other stores have one form.
        try Defaults(store).set(.seconds(91), for: Defaults.Key<Duration?>("timeout"))
        #expect(store.value(forKey: "timeout") == "1m31s")
        let memory = InMemoryStore(["timeout": "90s"])
        try Defaults(memory).set(.seconds(90), for: Defaults.Key<Duration?>("timeout"))
        #expect(memory.value(forKey: "timeout") == "1m30s")
    }

    @Test func `a collection that changes keeps the text of what stays`() throws {
        let waits = Defaults.Key<[Duration]>("waits", default: [])
        let servers = Defaults.Key<[Server]>("servers", default: [])
        let days = Defaults.Key<[Int: Date]>("days", default: [:])
        let sizes = Defaults.Key<Set<Defaults.ByteCount>>("sizes", default: [])
        let timeout = Defaults.Key<Duration>("timeout", default: .zero)
        let names = Defaults.Key<Set<String>>("names", default: [])
        let text = """
            {
              "names": ["search" /* 1.2 */, "billing", /* slow */ "export"],
              "waits": ["24h", "90s"], // patience
              "servers": [
                {"port": 5432, "host": "db", "timeout": "90s", "weight": 1}, // newer programs know weights
              ],
              "days": {"1": "2026-11-21T11:50:00+01:00"},
              "sizes": ["1024KiB", "10B"],
              "timeout": "90s",
            }
            """
        try folder.overwrite("settings.jsonc", text)
        do {
            let store = try JSONFileStore(path: folder.path("settings.jsonc"))
            let defaults = Defaults(store)
            // Several times, because a key notes what it wrote itself.
            for _ in 0..<3 {
                defaults[timeout] = .seconds(90)
                try defaults.set(.seconds(90), for: timeout)
            }
            defaults[waits].append(.seconds(5))
            try defaults.set(defaults[waits] + [.seconds(6)], for: waits)
            defaults.update { $0[waits].insert(.seconds(3600), at: 1) }
            defaults[servers][0].port = 5433
            defaults[servers].append(Server(host: "cache", port: 6379))
            defaults[servers][0].timeout = nil
            defaults[days][2] = Date(timeIntervalSinceReferenceDate: 0)
            defaults[names].formUnion(["audit", "zoom"])
            defaults[names].remove("billing")
            try store.synchronize()
        }
        // The last store on a file saves it whole.
        let expected = """
            {
              "names": ["search" /* 1.2 */, /* slow */ "export", "audit", "zoom"],
              "waits": ["24h", "1h", "90s", "5s", "6s"], // patience
              "servers": [
                {"port": 5433, "host": "db", "weight": 1}, // newer programs know weights
                {"host": "cache", "port": 6379},
              ],
              "days": {"1": "2026-11-21T11:50:00+01:00", "2": {"$date": "2001-01-01T00:00:00Z"}},
              "sizes": ["1024KiB", "10B"],
              "timeout": "90s",
            }
            """
        let saved = try String(decoding: folder.bytes(of: "settings.jsonc"), as: UTF8.self)
        #expect(saved == expected, "\(saved)")
        let defaults = Defaults(try JSONFileStore(path: folder.path("settings.jsonc")))
        // Where neither its order nor its forms are those of the key, a set is written anew.
        try defaults.set(defaults[sizes].union([3]), for: sizes)
        #expect(defaults[sizes] == [.kibibytes(1024), 10, 3])
        #expect(defaults[waits] == [.seconds(86_400), .seconds(3600), .seconds(90), .seconds(5), .seconds(6)])
    }

    @Test(.seeded) func `whatever text is kept, the value is the one that was written`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(30, thorough: 3_000)) {
            var random = SeededGenerator(seed: seed)
            try checkKeptText(in: "\(seed).json", &random)
        }
    }

    private func checkKeptText(in name: String, _ random: inout SeededGenerator) throws {
        let forms = ["90s", "1m30s", "PT90S", "24h", "1d", "5s", "5000ms", "0.5m"]
        func durations() -> [String] {
            (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in forms.randomElement(using: &random) }
        }
        let list = Defaults.Key<[Duration]>("list", default: [])
        let table = Defaults.Key<[String: [Duration]]>("table", default: [:])
        let set = Defaults.Key<Set<Duration>>("set", default: [])
        let quoted = { (texts: [String]) in "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
        let members = ["a", "b", "c"].map { "\"\($0)\": \(quoted(durations()))" }.joined(separator: ", ")
        // A set has no element twice.
        let distinct = ["90s", "24h", "5000ms"].shuffled(using: &random)
        try folder.overwrite(
            name,
            "{\"list\": \(quoted(durations())), \"table\": {\(members)}, \"set\": \(quoted(distinct))}"
        )
        let defaults = Defaults(try JSONFileStore(path: folder.path(name)))
        let values: [Duration] = [.seconds(90), .seconds(86_400), .seconds(5), .seconds(30), .seconds(7)]
        for _ in 0..<6 {
            let value = values.randomElement(using: &random) ?? .zero
            var (written, tables, elements) = (defaults[list], defaults[table], defaults[set])
            if Bool.random(using: &random) {
                written.insert(value, at: Int.random(in: 0...written.count, using: &random))
            }
            if Bool.random(using: &random), !written.isEmpty { written.removeLast() }
            if Bool.random(using: &random) { written.shuffle(using: &random) }
            tables[["a", "b", "d"].randomElement(using: &random) ?? "a"] = Bool.random(using: &random) ? written : nil
            if elements.remove(value) == nil { elements.insert(value) }
            if Bool.random(using: &random) {
                try defaults.set(written, for: list)
                try defaults.set(tables, for: table)
                try defaults.set(elements, for: set)
            } else {
                defaults.update { settings in
                    settings[list] = written
                    settings[table] = tables
                    settings[set] = elements
                }
            }
            try #require(defaults[list] == written && defaults[table] == tables && defaults[set] == elements)
        }
    }

    @Test func `a value that one key writes again and again keeps its text`() throws {
        let text = #"{"wait": "90s", "waits": ["90s", "1m"]}"#
        try folder.overwrite("settings.json", text)
        let store = try JSONFileStore(path: folder.path("settings.json"))
        let (wait, waits) = (
            Defaults.Key<Duration>("wait", default: .zero), Defaults.Key<[Duration]>("waits", default: [])
        )
        let writes: [(Defaults) throws -> Void] = [
            {
                $0[wait] = .seconds(90)
                $0[waits] = [.seconds(90), .seconds(60)]
            },
            { try $0.commit { ($0[wait], $0[waits]) = (.seconds(90), [.seconds(90), .seconds(60)]) } },
            {
                $0.modify(wait) { $0 += .zero }
                $0.modify(waits) { $0 = [.seconds(90), .seconds(60)] }
            },
        ]
        for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 0), (0, 2), (1, 2), (2, 1)] {
            try writes[first](Defaults(store))
            try writes[second](Defaults(store))
            #expect(store.snapshot() == ["wait": "90s", "waits": ["90s", "1m"]], "\(first), \(second)")
        }
        try store.synchronize()
        #expect(try String(decoding: folder.bytes(of: "settings.json"), as: UTF8.self) == text)
        // Another value is written, as often as it changes.
        for seconds in [91, 92] {
            Defaults(store)[wait] = .seconds(seconds)
            #expect(store.value(forKey: "wait") == .string("1m\(seconds - 60)s"))
        }
        // The form of a person that comes later stays too.
        try store.set("92s", forKey: "wait")
        Defaults(store)[wait] = .seconds(92)
        Defaults(store)[wait] = .seconds(92)
        #expect(store.value(forKey: "wait") == "92s")
    }

    @Test func `zeros of two signs are two values`() throws {
        try folder.overwrite("settings.json", #"{"zero": 0}"#)
        let store = try JSONFileStore(path: folder.path("settings.json"))
        try Defaults(store).set(-0.0, for: Defaults.Key<Double?>("zero"))
        #expect(store.value(forKey: "zero") == -0.0)
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

    @Test func `a value that moves from another store gets the form when it is transformed`() throws {
        let settings = Keys()
        let old = InMemoryStore()
        try Self.write(Defaults.Group<Keys>(old))
        let file = try JSONFileStore(path: folder.path("settings.json"))
        let plan = Defaults.MigrationPlan(
            "move",
            Defaults.Migration(
                to: 1,
                .move("theme", from: old, to: settings.theme),
                .move("servers", from: old, to: settings.servers),
                .transform(settings.servers, from: settings.servers) { $0 }
            )
        )
        try Defaults(file).migrate(plan)
        #expect(file.value(forKey: "theme") == "\"dark\"")
        #expect(file.value(forKey: "servers") == [["host": "db", "port": 5432, "timeout": "1m30s"]])
        #expect(old.value(forKey: "servers") == nil)
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

    @Test func `a value with a set that is written as it is changes nothing in the file`() throws {
        let text = """
            {
              "cast": {
                "names": ["c", "a", "e", "b", "d"], // in order of appearance
                "wait": "90s", "unknown": [1.50]
              }
            }

            """
        try folder.write(Array(text.utf8), to: "cast.jsonc")
        let key = Defaults.Key<Cast?>("cast")
        func update(_ body: (Defaults) throws -> Void) throws -> (text: String, changes: Int) {
            let changes = Recorder<PropertyListChange>()
            do {
                let store = try JSONFileStore(path: folder.path("cast.jsonc"), options: .init(isWatching: false))
                let observation = store.observe(.all, initial: false) { changes.record($0) }
                try body(Defaults(store))
                try store.synchronize()
                observation.cancel()
            }
            return (try folder.text(of: "cast.jsonc"), changes.count)
        }
        let same = try update { try $0.set(try $0.value(for: key), for: key) }
        #expect(same.text == text && same.changes == 0)
        let changed = try update { try $0.modify(key) { $0?.names.insert("aa") } }
        #expect(changed.text.contains(#""wait": "90s", "unknown": [1.50]"#), "\(changed.text)")
        #expect(changed.text.contains(#""aa""#) && changed.changes == 1, "\(changed.text)")
    }
}
