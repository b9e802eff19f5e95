@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Stores that know their keys find and write them in nested files, and agree with stores that know others.
@Suite struct NestedFileTests {
    private static let keys = ["port", "tls.port", "tls.host", "tls.client.port", "headers"]
    private static let nested: PropertyListTable = [
        "port": 80, "tls": ["port": 443, "client": ["port": 1]], "headers": ["a": ["b": 1]],
    ]
    private let folder = TemporaryFolder.forTest

    private func open(
        _ format: StoreFormat = .json,
        keys: [String] = NestedFileTests.keys,
        _ options: FileStoreOptions = FileStoreOptions()
    ) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file"), format: format, keys: keys, options: options)
    }

    private func members(_ format: StoreFormat = .json) throws -> PropertyListTable {
        try format.members(of: folder.bytes(of: "file"))
    }

    @Test(arguments: StoreFormat.allCases, [FileStoreOptions(), .oneFile])
    func `a nested file is read and written where its values are`(format: StoreFormat, options: FileStoreOptions) throws
    {
        try folder.write(format.bytes(Self.nested), to: "file")
        let process = try open(format, keys: Self.keys, options)
        #expect(
            process.store.snapshot()
                == ["port": 80, "tls.port": 443, "tls.client.port": 1, "headers": ["a": ["b": 1]]]
        )
        try process.save(["tls.port": 8443, "tls.host": "a", "tls.client.port": nil, "headers": ["c": 2]])
        process.passTime()
        let tls = try #require(try members(format)["tls"]?.dictionaryValue)
        #expect(tls["port"] == 8443 && tls["host"] == "a")
        #expect(try members(format)["headers"] == ["c": 2])
        #expect(try open(format).store.snapshot() == process.store.snapshot())
    }

    @Test(arguments: StoreFormat.allCases)
    func `a new file is nested, a dotted one stays dotted, and the option decides`(format: StoreFormat) throws {
        for (first, options, isNested) in [
            (PropertyListTable(), FileStoreOptions(), true), (["tls.port": 1], FileStoreOptions(), false),
            (["tls.port": 1], FileStoreOptions(nesting: .init(newKeys: .nested)), true),
            (["tls": ["port": 1]], FileStoreOptions(), true),
            ([:], FileStoreOptions(nesting: .init(newKeys: .flat)), false),
        ] {
            try folder.write(format.bytes(first), to: "file")
            let process = try open(format, keys: Self.keys, options)
            try process.save(["tls.client.port": 5])
            process.passTime()
            let table = try members(format)
            #expect((table["tls.client.port"] == 5) == !isNested, "\(first) \(options.nesting)")
            #expect(
                (table["tls"]?.dictionaryValue?["client"] == ["port": 5]) == isNested,
                "\(first) \(options.nesting)"
            )
            #expect(try open(format, keys: Self.keys, options)["tls.client.port"] == 5)
        }
    }

    @Test func `batches, snapshots and observers have the keys`() async throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let processes = [try open(), try open()]
        let seen = Locked<[String]>([])
        let observation = processes[1].store.observe(.named(["tls.port"]), initial: false) { change in
            seen.withLock { $0 += change.entries.map { "\($0.key) \($0.old.map(String.init(describing:)) ?? "none")" } }
        }
        let before = processes[1].store.snapshot()
        try processes[0].save(["tls.port": 1])
        processes[1].look()
        #expect(processes[1]["tls.port"] == 1)
        try await eventually("the observer is notified", seen.withLock(\.count), is: 1)
        #expect(before["tls.port"] == 443)
        // A person edits another key, which does not concern the observer.
        processes[0].passTime()
        let edited = String(decoding: try folder.bytes(of: "file"), as: UTF8.self)
        try folder.write(Array(edited.replacing("\"port\": 80", with: "\"port\": 81").utf8), to: "edited")
        #expect(rename(folder.path("edited"), folder.path("file")) == 0)
        processes[1].look()
        #expect(processes[1]["port"] == 81 && seen.withLock { $0.count } == 1)
        observation.cancel()
        let defaults = Defaults(processes[0].store)
        let port = Defaults.Key<Int>("tls.port", default: 0)
        defaults.update { batch in batch[port] += 1 }
        #expect(processes[0]["tls.port"] == 2)
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `a process that knows no key, and one that knows some, agree with one that knows all`(
        options: FileStoreOptions
    ) throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let (all, some, none) = (
            try open(keys: Self.keys, options), try open(keys: ["tls.port"], options), try open(keys: [], options)
        )
        #expect(none["tls"] == ["port": 443, "client": ["port": 1]])
        #expect(some["tls.port"] == 443 && some["tls.client"] == ["port": 1])
        try all.save(["tls.host": "a"])
        try some.save(["tls.port": 5])
        try none.save(["port": 81])
        let processes = [all, some, none]
        for process in processes + processes {
            process.look()
            process.passTime()
        }
        for process in processes { process.look() }
        #expect(
            all.store.snapshot() == [
                "port": 81, "tls.port": 5, "tls.host": "a", "tls.client.port": 1, "headers": ["a": ["b": 1]],
            ]
        )
        #expect(try open().store.snapshot() == all.store.snapshot())
        #expect(
            try members() == [
                "port": 81, "tls": ["port": 5, "host": "a", "client": ["port": 1]], "headers": ["a": ["b": 1]],
            ]
        )
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `a whole group that another process writes is that of its keys`(options: FileStoreOptions) throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let (all, none) = (try open(keys: Self.keys, options), try open(keys: [], options))
        try none.save(["tls": ["host": "b", "client": ["port": 7]]])
        all.look()
        #expect(all["tls.port"] == nil && all["tls.host"] == "b" && all["tls.client.port"] == 7 && all["tls"] == nil)
        try all.save(["tls.port": 4])
        for process in [all, none, all] {
            process.look()
            process.passTime()
        }
        #expect(try open().store.snapshot() == all.store.snapshot())
        try none.save(["tls": 5])
        all.look()
        #expect(all["tls"] == 5 && all["tls.host"] == nil)
        for process in [all, none, all] {
            process.passTime()
            process.look()
        }
        #expect(try open().store.snapshot() == all.store.snapshot())
    }

    @Test func `a value under the name of a group is refused`() throws {
        let process = try open()
        for value in [5, ["port": 1]] as [PropertyListValue] {
            let error = #expect(throws: StoreError.self) { try process.set(["tls": value, "port": 1]) }
            #expect(error?.code == .unsupportedValue && error?.key == "tls")
        }
        #expect(process["port"] == nil)
        try process.set(["tls": nil])
    }

    @Test func `a second store of the process brings its keys along`() async throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let path = folder.path("file")
        let first = try JSONFileStore(path: path)
        let seen = Locked<[String]>([])
        let observation = first.observe(.all, initial: false) { change in
            seen.withLock { $0 += change.entries.map(\.key) }
        }
        #expect(first.value(forKey: "tls")?.dictionaryValue?["port"] == 443)
        let keys = Self.keys.map { Defaults.Key<Int>($0, default: 0) }
        let second = try JSONFileStore(path: path, keys: keys)
        #expect(second.value(forKey: "tls.port") == 443 && first.value(forKey: "tls.port") == 443)
        #expect(first.value(forKey: "tls") == nil)
        try await eventually("the keys move", Set(seen.withLock(\.self)), is: ["tls", "tls.port", "tls.client.port"])
        observation.cancel()
    }

    @Test(arguments: StoreFormat.allCases)
    func `a key that is there twice is reported with both lines, or refused`(format: StoreFormat) throws {
        try folder.write(format.bytes(["tls": ["port": 1], "tls.port": 2]), to: "file")
        let process = try open(format)
        #expect(process["tls.port"] == 2 && process.notices == [.keyHeldTwice])
        let nested = try open(format, keys: Self.keys, FileStoreOptions(nesting: .init(duplicates: .nestedCounts)))
        #expect(nested["tls.port"] == 1)
        let reason = try #require(process.reasons.first)
        switch format {
        case .json: #expect(reason.contains("line 5 counts, and line 3 does not"))
        case .xml: #expect(reason.contains("line 10 counts, and line 7 does not"))
        case .binary: #expect(!reason.contains("line"))
        }
        let error = #expect(throws: FileStoreError.self) {
            _ = try open(format, keys: Self.keys, FileStoreOptions(nesting: .init(duplicates: .areRefused)))
        }
        #expect(error?.step == .parse)
        try process.save(["tls.port": nil])
        process.passTime()
        #expect(try open(format)["tls.port"] == nil)
    }

    @Test func `lines are those of nested keys`() throws {
        let text = "{\n  \"tls\": {\n    \"port\": 443,\n    \"client\": {\n      \"port\": 1\n    }\n  }\n}\n"
        try folder.write(Array(text.utf8), to: "file")
        let lines = { (process: ProcessDouble) in
            ["tls.port", "tls.client.port"].map { process.provenance(of: $0)?.sources.first?.line }
        }
        #expect(try lines(open()) == [3, 5])
        try folder.write(StoreFormat.xml.bytes(Self.nested), to: "file")
        #expect(try lines(open(.xml)).allSatisfy { $0 != nil })
    }

    @Test(arguments: 0..<TestLevel.current.pick(10, thorough: 100, exhaustive: 2_000))
    func `processes with different keys lose no write`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var random = SeededGenerator(seed: seed)
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let written = ["port", "tls.port", "tls.host", "tls.client.port"]
        let processes = try (0..<3).map { _ in
            try open(keys: Bool.random(using: &random) ? Self.keys : ["tls.port", "tls.host", "tls.client.port"])
        }
        var expected: [String: PropertyListValue] = ["port": 80, "tls.port": 443, "tls.client.port": 1]
        for number in 0..<30 {
            let process = processes.randomElement(using: &random) ?? processes[0]
            process.look()
            switch Int.random(in: 0..<6, using: &random) {
            case 0: process.passTime()
            case 1:
                let key = written.randomElement(using: &random) ?? "port"
                expected[key] = nil
                try process.save([key: nil])
            default:
                let key = written.randomElement(using: &random) ?? "port"
                expected[key] = .init(number)
                try process.save([key: .init(number)])
            }
        }
        for process in processes {
            process.look()
            process.passTime()
        }
        for process in processes { process.look() }
        for key in written {
            for process in processes { #expect(process[key] == expected[key], "seed \(seed): \(key)") }
            #expect(try open()[key] == expected[key], "seed \(seed): \(key)")
        }
    }
}

/// Names that no key has are found.
@Suite struct UnknownNameTests {
    private let folder = TemporaryFolder.forTest
    private let keys = ["port", "tls.port", "tls.host", "maxUpload"].map { Defaults.Key<Int>($0, default: 0) }

    private func write(_ text: String) throws {
        try folder.write(Array(text.utf8), to: "edited")
        #expect(rename(folder.path("edited"), folder.path("file.json")) == 0)
    }

    @Test func `each is reported once with its line and the nearest key`() throws {
        try write("{\n  \"prot\": 1,\n  \"tls\": {\"port\": 2,\n \"hots\": 3},\n  \"keyspan.kept\": [], \"x\": 1\n}\n")
        let problems = Locked<[String]>([])
        try Defaults.withProblemHandler({ problem in problems.withLock { $0.append(problem.description) } }) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys)
            let file = folder.path("file.json")
            #expect(
                problems.withLock { $0 } == [
                    "\(file):2: no key has the name \"prot\"; did you mean \"port\"?",
                    "\(file):4: no key has the name \"tls.hots\"; did you mean \"tls.host\"?",
                    "\(file):5: no key has the name \"x\"; remove it, or declare a key for it.",
                ]
            )
            _ = try JSONFileStore(path: folder.path("file.json"))
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys, unknownNames: .areIgnored)
            #expect(problems.withLock { $0.count } == 3)
        }
    }

    @Test func `the schema that editors look for is none of them`() throws {
        try write("{\"$schema\": \"schema.json\", \"port\": 1}")
        let problems = Locked<[String]>([])
        try Defaults.withProblemHandler({ problem in problems.withLock { $0.append(problem.description) } }) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys)
            let strict = try JSONFileStore(path: folder.path("file.json"), keys: keys, unknownNames: .strict)
            #expect(strict.value(forKey: "port") == 1)
        }
        #expect(problems.withLock { $0 }.isEmpty)
        // Only the one at the top is what an editor reads.
        try write("{\"tls\": {\"port\": 1}, \"tls.$schema\": \"x\"}")
        #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys, unknownNames: .strict)
        }
    }

    @Test func `a value in the place of a group is told from a misspelt name`() throws {
        try write("{\n  \"tls\": 5\n}\n")
        let problems = Locked<[String]>([])
        try Defaults.withProblemHandler({ problem in problems.withLock { $0.append(problem.description) } }) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys)
        }
        #expect(
            problems.withLock(\.self) == [
                """
                \(folder.path("file.json")):2: no key has the name "tls"; it is a group of keys, such as "tls.host": \
                write an object with their values there.
                """
            ]
        )
    }

    @Test func `a name outside its group is reported with the key in the group`() throws {
        try write("{\n  \"host\": 5\n}\n")
        let problems = Locked<[String]>([])
        try Defaults.withProblemHandler({ problem in problems.withLock { $0.append(problem.description) } }) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys)
        }
        #expect(
            problems.withLock(\.self) == [
                "\(folder.path("file.json")):2: no key has the name \"host\"; did you mean \"tls.host\"?"
            ]
        )
    }

    @Test func `an escaped dictionary in the place of a group is an unknown name`() throws {
        try write("{\n  \"tls\": {\"$dictionary\": {\"port\": 2}}\n}\n")
        let error = #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys, unknownNames: .strict)
        }
        #expect(error?.reason.hasPrefix("line 2: no key has the name \"tls\"") == true)
    }

    @Test func `a strict store does not open, and rejects a version with such a name`() throws {
        try write("{\n  \"prot\": 1\n}\n")
        let error = #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: folder.path("file.json"), keys: keys, unknownNames: .strict)
        }
        #expect(error?.step == .validate)
        #expect(error?.reason == "line 2: no key has the name \"prot\" (did you mean \"port\"?)")
        try write("{\"port\": 1}")
        let process = try ProcessDouble(path: folder.path("file.json"), keys: keys.map(\.name), unknownNames: .strict)
        try write("{\"port\": 2,\n \"prot\": 1}")
        process.look()
        #expect(process["port"] == 1 && process.notices == [.rejected])
        #expect(process.reasons.last?.contains("line 2: no key has the name \"prot\"") == true)
        try write("{\"port\": 2}")
        process.look()
        #expect(process["port"] == 2)
        // The program's own names are its own affair.
        try process.save(["dynamic": 1])
        process.passTime()
        try write(String(decoding: folder.bytes(of: "file.json"), as: UTF8.self).replacing("2", with: "3"))
        process.look()
        #expect(process["port"] == 3)
    }

    @Test(arguments: [
        ("prot", "port"), ("PORT", "port"), ("maxuplod", "maxUpload"), ("tls.prt", "tls.port"), ("p", nil), ("", nil),
        ("completely.different", nil), ("porte", "port"), ("opt", nil),
    ])
    func `the nearest name is near`(name: String, nearest: String?) {
        #expect(NearestName.of(name, among: keys.map(\.name)) == nearest)
    }
}
