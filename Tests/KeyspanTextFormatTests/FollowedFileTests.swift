@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Stores of YAML and TOML files, which read them and follow their changes.
@Suite
struct FollowedFileTests {
    private static let keys = ["port", "tls.port", "tls.client.port", "headers"]

    private func text(of format: LayerFormat, port: Int = 443) -> String {
        format.text(
            yaml: """
                port: 80
                # a comment
                tls:
                  port: \(port)
                  client: {port: 1}
                headers:
                  a: {b: 1}
                """,
            toml: """
                port = 80
                # a comment
                [tls]
                port = \(port)
                client = {port = 1}
                [headers]
                a = {b = 1}
                """
        )
    }

    @Test(arguments: LayerFormat.allCases)
    func `nested members are keys, and dictionaries of keys stay`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys)
        #expect(
            store.snapshot() == ["port": 80, "tls.port": 443, "tls.client.port": 1, "headers": ["a": ["b": 1]]]
        )
        #expect(store.storedValue(forKey: "tls.port") == StoredValue(443))
        let all = try double.open()
        #expect(all.snapshot()["tls"] == ["port": 443, "client": ["port": 1]])
        #expect(store.name == double.path && double.notices.isEmpty)
    }

    @Test(arguments: LayerFormat.allCases)
    func `provenance names the line of each value`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys)
        for (key, line) in [("port", 1), ("tls.port", 4), ("tls.client.port", 5), ("headers", 6)] {
            let line = format.text(yaml: "\(line)", toml: "\(line)")
            #expect(store.provenance(forKey: key)?.description == "\(double.path):\(line)", "\(key)")
        }
        #expect(store.provenance(forKey: "tls.none") == nil)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a number where a text is expected is shown as the file has it, with the advice to quote it`(
        _ format: LayerFormat
    ) throws {
        let text = format.text(
            yaml: "zip: 02142\nversion: 1.10\nplain: 5\non: True\nlist: [a, 1.10]\ntls:\n  tag: {v: 0x1F}\n",
            toml: "zip = 0o4136\nversion = 1.10\nplain = 5\non = true\nlist = ['a', 1.10]\n[tls]\ntag.v = 0x1F\n"
        )
        let double = try FollowedFileDouble(format, text)
        let file = try double.open(keys: ["zip", "version", "plain", "on", "list", "tls.tag"])
        let zip = format.text(yaml: "02142", toml: "0o4136")
        let on = format.text(yaml: "True, which is the boolean true", toml: "the boolean true")
        let found = [
            ("zip", "\(zip), which is the integer 2142", zip), ("version", "1.10, which is the number 1.1", "1.10"),
            ("plain", "the integer 5", "5"), ("on", on, format.text(yaml: "True", toml: "true")),
        ]
        for store in [file, LayeredStore([.init("arguments", InMemoryStore()), .init("file", file)])]
            as [any PropertyListStore]
        {
            let defaults = Defaults(store)
            for (key, words, quoted) in found {
                let key = Defaults.Key<String?>(key)
                let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
                let sentence = error?.description ?? ""
                #expect(
                    sentence.contains("but found \(words); put it in quotes there, as in \"\(quoted)\", or"),
                    "\(sentence)"
                )
            }
            let list = Defaults.Key<[String]>("list", default: [])
            let part = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: list) }
            #expect(part?.description.contains("found 1.10, which is the number 1.1; put it in quotes") == true)
            let tag = Defaults.Key<[String: String]>("tls.tag", default: [:])
            let member = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: tag) }
            #expect(member?.description.contains("found 0x1F, which is the integer 31; put it in quotes") == true)
            let secret = Defaults.Key<String?>("version").secret()
            let hidden = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: secret) }
            #expect(hidden?.description.contains("; put it in quotes there, or") == true)
            #expect(hidden?.description.contains("1.1") == false)
        }
    }

    @Test(arguments: LayerFormat.allCases)
    func `errors show invisible characters by their numbers`(_ format: LayerFormat) throws {
        let text = format.text(yaml: "port: 8080\u{A0}\n", toml: "port = \"8080\u{A0}\"\n")
        let defaults = Defaults(try FollowedFileDouble(format, text).open(keys: ["port"]))
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: Defaults.Key<Int?>("port")) }
        #expect(error?.description.contains(#""8080\u{00A0}""#) == true)
        let twice = try FollowedFileDouble(
            format,
            format.text(yaml: "a\u{200B}: 1\na\u{200B}: 2\n", toml: "'a\u{200B}'=1\n'a\u{200B}'=2\n")
        )
        let failure = #expect(throws: FileStoreError.self) { try twice.open() }
        #expect(failure?.description.contains(#""a\u{200B}" again"#) == true)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a reload reads at once, and throws a version that cannot be read`(_ format: LayerFormat) async throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys)
        try double.write(text(of: format, port: 1))
        #expect(store.value(forKey: "tls.port") == 443)
        try await store.reload()
        #expect(store.value(forKey: "tls.port") == 1)
        try double.write("{[")
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await store.reload() }
            #expect(error?.code == .notReloaded && error?.store == double.path)
        }
        double.look()
        #expect(store.value(forKey: "tls.port") == 1 && double.notices.isEmpty)
        try double.write(text(of: format, port: 2))
        try await store.reload()
        #expect(store.value(forKey: "tls.port") == 2)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a write is refused with a remedy`(_ format: LayerFormat) async throws {
        let store = try FollowedFileDouble(format, text(of: format)).open()
        let batch = PropertyListBatch(.set("2", key: "port"))
        let applied = #expect(throws: StoreError.self) { try store.apply(batch) }
        let committed = await #expect(throws: StoreError.self) { try await store.commit(batch) }
        for error in [applied, committed] {
            #expect(error?.code == .readOnly && error?.key == "port" && error?.store == store.name)
            #expect(error?.remedy.contains("edit the file") == true)
        }
        try await store.commit(PropertyListBatch())
    }

    @Test(arguments: LayerFormat.allCases)
    func `an unknown name is reported once, with its line and the nearest key`(_ format: LayerFormat) throws {
        let text = format.text(yaml: "port: 1\ntls:\n  prot: 2\n", toml: "port = 1\n[tls]\nprot = 2\n")
        let double = try FollowedFileDouble(format, text)
        let problems = Recorder<String>()
        let store = try Defaults.withProblemHandler({ problems.record($0.description) }) {
            let store = try double.open(keys: Self.keys)
            try double.write(text + "\n")
            double.look()
            return store
        }
        #expect(store.snapshot() == ["port": 1, "tls.prot": 2])
        #expect(problems.count == 1)
        let words = "settings:3: no key has the name \"tls.prot\"; did you mean \"tls.port\"?"
        #expect(problems.last?.contains(words) == true)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a strict store refuses an unknown name, at the start and later`(_ format: LayerFormat) throws {
        let wrong = format.text(yaml: "port: 1\nprot: 2\n", toml: "port = 1\nprot = 2\n")
        let double = try FollowedFileDouble(format, wrong)
        let error = #expect(throws: FileStoreError.self) {
            _ = try double.open(keys: Self.keys, unknownNames: .strict)
        }
        #expect(error?.step == .validate)
        #expect(error?.reason.contains("line 2: no key has the name \"prot\" (did you mean \"port\"?)") == true)
        try double.write(text(of: format))
        let store = try double.open(keys: Self.keys, unknownNames: .strict)
        try double.write(wrong)
        double.look()
        #expect(store.value(forKey: "tls.port") == 443)
        #expect(double.notices.map(\.kind) == [.unreadable])
        #expect(double.notices.first?.reason.contains("line 2") == true)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a change arrives as one, and as itself`(_ format: LayerFormat) async throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys)
        let changes = Recorder<PropertyListChange>()
        let observation = store.observe(.all, initial: false) { changes.record($0) }
        let revision = store.revision
        try double.write("# first\n" + text(of: format, port: 8443))
        double.look()
        try await eventually("the observer is notified", changes.count, is: 1)
        #expect(changes.last?.entries.map(\.key) == ["tls.port"])
        #expect(store.value(forKey: "tls.port") == 8443 && store.revision != revision)
        #expect(store.provenance(forKey: "tls.port")?.description == "\(double.path):5")
        observation.cancel()
    }

    @Test(arguments: LayerFormat.allCases)
    func `a store of a program follows the file by itself`(_ format: LayerFormat) async throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try format.open(double.path, keys: Self.keys, seams: .ofProcess())
        #expect(store.value(forKey: "tls.port") == 443)
        try double.write(text(of: format, port: 8443))
        try await eventually("the new port is read", store.value(forKey: "tls.port"), is: 8443)
        try double.remove()
        try await eventually("the removal is noticed", store.snapshot(), is: [:])
    }

    @Test(arguments: LayerFormat.allCases)
    func `a validator may not reload its store, and may read it`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let known = Locked<(any FollowedFileStore)?>(nil)
        let outcomes = Recorder<String>()
        let store = try double.open(keys: Self.keys) { _ in
            guard let store = known.withLock(\.self) else { return }
            outcomes(store.provenance(forKey: "tls.port")?.description ?? "none")
            let error = #expect(throws: StoreError.self) { try store.reload() }
            outcomes(error?.code.description ?? "none")
        }
        known.withLock { $0 = store }
        try double.write(text(of: format, port: 1))
        try store.reload()
        let line = format.text(yaml: "4", toml: "4")
        #expect(outcomes.values == ["\(double.path):\(line)", "validating"])
        try double.write(text(of: format, port: 2))
        double.look()
        #expect(outcomes.count == 4 && store.value(forKey: "tls.port") == 2)
        known.withLock { $0 = nil }
    }

    @Test(arguments: LayerFormat.allCases)
    func `a damaged version keeps the values and is reported once with its line`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys)
        try double.write(format.text(yaml: "port: 1\ntls: [\n", toml: "port = 1\ntls = [\n"))
        double.look(attempts: 1)
        // The program that writes it may not have finished.
        #expect(double.notices.isEmpty)
        double.look()
        double.look()
        #expect(store.value(forKey: "port") == 80)
        let notice = try #require(double.notices.first)
        #expect(double.notices.count == 1 && notice.kind == .unreadable)
        #expect(notice.reason.contains("what it had before stays in force"))
        #expect((notice.underlying as? FileStoreError)?.position != nil)
        try double.write(text(of: format, port: 5))
        double.look()
        #expect(store.value(forKey: "tls.port") == 5)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a missing file has no values until there is one`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format)
        let store = try double.open(keys: Self.keys)
        #expect(store.snapshot().isEmpty)
        try double.write(text(of: format))
        double.look()
        #expect(store.value(forKey: "port") == 80)
        try double.remove()
        double.look()
        #expect(store.snapshot().isEmpty && double.notices.isEmpty)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a file that becomes empty keeps the values, and one of comments has none`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys)
        try double.write("")
        double.look()
        #expect(store.value(forKey: "port") == 80)
        #expect(double.notices.map(\.kind) == [.unreadable])
        try double.write("# nothing\n")
        double.look()
        #expect(store.snapshot().isEmpty)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a validation rejects a version`(_ format: LayerFormat) throws {
        struct Rejection: Error {}
        let double = try FollowedFileDouble(format, text(of: format))
        let validate: @Sendable (PropertyListTable) throws -> Void = { table in
            if table["tls.port"] == 5 { throw Rejection() }
        }
        let store = try double.open(keys: Self.keys, validate: validate)
        try double.write(text(of: format, port: 5))
        double.look()
        #expect(store.value(forKey: "tls.port") == 443)
        #expect(double.notices.map(\.kind) == [.unreadable])
        #expect(throws: FileStoreError.self) { _ = try double.open(keys: Self.keys, validate: validate) }
    }

    @Test(arguments: LayerFormat.allCases)
    func `a value that its key cannot use is held back, and reported once with its line`(_ format: LayerFormat) throws {
        let port = Defaults.Key<Int>("tls.port", default: 1).validated(by: .range(1...65_535))
        let double = try FollowedFileDouble(format, text(of: format))
        let seen = Recorder<PropertyListTable>()
        let store = try double.open(keys: ["port", "tls.client.port", "headers"], typed: [port]) { seen.record($0) }
        try double.write(text(of: format, port: 70_000))
        for _ in 1...2 { double.look() }
        #expect(Defaults(store)[port] == 443 && seen.last?["tls.port"] == 443)
        #expect(double.notices.map(\.kind) == [.valuesHeldBack] && store.contentsStatus.staleSince != nil)
        let reason = try #require(double.notices.first?.reason)
        #expect(
            reason.contains("line 4: key \"tls.port\": found the integer 70000, but the stored value must"),
            "\(reason)"
        )
        for _ in 1...2 { #expect(throws: StoreError.self) { try { () throws(StoreError) in try store.reload() }() } }
        // The value is the same, on another line.
        try double.write("# a line\n" + text(of: format, port: 70_000))
        double.look()
        #expect(double.notices.count == 1)
        try double.write(text(of: format, port: 444))
        double.look()
        #expect(Defaults(store)[port] == 444 && double.notices.count == 1 && store.contentsStatus.staleSince == nil)
    }

    @Test(arguments: LayerFormat.allCases)
    func `the first version of a file that is made later is a change like any other`(_ format: LayerFormat) throws {
        let port = Defaults.Key<Int>("tls.port", default: 1).validated(by: .range(1...65_535))
        let double = try FollowedFileDouble(format)
        let store = try double.open(keys: ["port", "tls.client.port", "headers"], typed: [port])
        try double.write(text(of: format, port: 70_000))
        double.look()
        #expect(double.notices.map(\.kind) == [.valuesHeldBack] && store.contentsStatus.staleSince != nil)
        #expect(Defaults(store)[port] == 1 && store.value(forKey: "port") == 80)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a rule that reloads the file is refused, and ends nothing`(_ format: LayerFormat) throws {
        let opened = Locked<(any FollowedFileStore)?>(nil)
        let codes = Recorder<StoreError.Code?>()
        let rule = Defaults.Rule<Int>("fine") { _ in
            guard let store = opened.withLock(\.self) else { return true }
            do throws(StoreError) { try store.reload() } catch { codes.record(error.code) }
            return true
        }
        let port = Defaults.Key<Int>("tls.port", default: 1).validated(by: rule)
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: ["port", "tls.client.port", "headers"], typed: [port])
        opened.withLock { $0 = store }
        try double.write(text(of: format, port: 444))
        double.look()
        opened.withLock { $0 = nil }
        #expect(codes.values == [.validating] && Defaults(store)[port] == 444)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a key that a rejected version has twice is reported when a version takes effect`(_ format: LayerFormat) throws
    {
        let double = try FollowedFileDouble(format, text(of: format))
        let store = try double.open(keys: Self.keys, unknownNames: .strict)
        let twice = format.text(yaml: "tls:\n  port: 1\ntls.port: 2\n", toml: "tls = {port = 1}\n\"tls.port\" = 2\n")
        try double.write(twice + format.text(yaml: "prot: 1\n", toml: "prot = 1\n"))
        double.look()
        #expect(double.notices.map(\.kind) == [.unreadable])
        try double.write(twice)
        double.look()
        #expect(store.value(forKey: "tls.port") == 2)
        #expect(double.notices.map(\.kind) == [.unreadable, .keyHeldTwice])
    }

    @Test(arguments: LayerFormat.allCases)
    func `a key that is there nested and with dots is reported with both lines`(_ format: LayerFormat) throws {
        let text = format.text(yaml: "tls:\n  port: 1\ntls.port: 2\n", toml: "tls = {port = 1}\n\n\"tls.port\" = 2\n")
        let double = try FollowedFileDouble(format, text)
        #expect(try double.open(keys: Self.keys).value(forKey: "tls.port") == 2)
        let nested = format.text(yaml: "2", toml: "1")
        #expect(double.notices.map(\.kind) == [.keyHeldTwice])
        #expect(double.notices.first?.reason.contains("line 3 counts, and line \(nested) does not") == true)
        #expect(try double.open(keys: Self.keys, duplicates: .nestedCounts).value(forKey: "tls.port") == 1)
        let error = #expect(throws: FileStoreError.self) {
            _ = try double.open(keys: Self.keys, duplicates: .areRefused)
        }
        #expect(error?.reason.contains("\"tls.port\" is there twice") == true)
    }

    @Test(arguments: LayerFormat.allCases)
    func `a file that is too large is refused`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format, "#" + String(repeating: "x", count: 1 << 20))
        let error = #expect(throws: FileStoreError.self) { _ = try double.open() }
        #expect(error?.reason.contains("the limit is") == true)
    }

    /// The tests of layers run all checks over stores in memory.
    private static let checks = StoreConformance.all.filter {
        TestLevel.current > .quick || [3, 6].contains($0.promise)
    }

    @Test(arguments: LayerFormat.allCases, checks)
    func `a store above a writable one keeps the promises of a store`(
        _ format: LayerFormat,
        _ check: StoreConformance
    ) async throws {
        let double = try FollowedFileDouble(format)
        try await check.verify(
            scale: .ofLevel,
            makeStore: {
                LayeredStore([
                    .init("file", try double.open()), .init("memory", InMemoryStore(), isWritable: true),
                ])
            },
            patience: .seconds(60)
        )
    }
}
