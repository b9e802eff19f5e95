@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Stores that know their keys find and write them in nested files, and agree with stores that know others and with people.
@Suite(.heavy) struct NestedFileTests {
    private static let keys = ["port", "tls.port", "tls.host", "tls.client.port", "headers"]
    private static let typedKeys: [Defaults.AnyKey] = keys.map { Defaults.Key<Int>($0, default: 0) }
    private static let nested: PropertyListTable = [
        "port": 80, "tls": ["port": 443, "client": ["port": 1]], "headers": ["a": ["b": 1]],
    ]
    private let folder = TemporaryFolder.forTest

    private func open(
        _ format: StoreFormat = .json,
        keys: [String] = NestedFileTests.keys,
        _ options: FileStoreOptions = FileStoreOptions(),
        name: String = "file"
    ) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path(name), format: format, keys: keys, options: options)
    }

    private func open(_ options: FileStoreOptions) throws -> ProcessDouble { try open(.json, options) }

    private func write(_ table: PropertyListTable = nested, _ format: StoreFormat = .json) throws {
        try folder.write(format.bytes(table), to: "file")
    }

    private func members(_ format: StoreFormat = .json) throws -> PropertyListTable {
        try format.members(of: folder.bytes(of: "file"))
    }

    private func text(_ name: String = "file") -> String { (try? folder.text(of: name)) ?? "none" }

    /// A person changes a part of the file.
    private func edit(_ part: String, to new: String) throws {
        try folder.replace("file", text().replacing(part, with: new))
    }

    /// Lets processes look at the file and make their checkpoints, one after the other.
    private func settle(_ processes: ProcessDouble...) {
        for process in processes {
            process.look()
            process.passTime()
        }
    }

    @Test(arguments: StoreFormat.allCases, [FileStoreOptions(), .oneFile])
    func `a nested file is read and written where its values are`(format: StoreFormat, options: FileStoreOptions) throws
    {
        try write(Self.nested, format)
        let process = try open(format, options)
        let expected: PropertyListTable = [
            "port": 80, "tls.port": 443, "tls.client.port": 1, "headers": ["a": ["b": 1]],
        ]
        #expect(process.store.snapshot() == expected)
        try process.save(["tls.port": 8443, "tls.host": "a", "tls.client.port": nil, "headers": ["c": 2]])
        process.passTime()
        let tls = try #require(try members(format)["tls"]?.dictionaryValue)
        #expect(tls["port"] == 8443 && tls["host"] == "a")
        #expect(try members(format)["headers"] == ["c": 2])
        #expect(try open(format).store.snapshot() == process.store.snapshot())
    }

    @Test(arguments: StoreFormat.allCases)
    func `a new file is nested, a dotted one stays dotted, and the option decides`(format: StoreFormat) throws {
        for (number, (first, options, isNested)) in [
            (PropertyListTable(), FileStoreOptions(), true), (["tls.port": 1], FileStoreOptions(), false),
            (["tls.port": 1], FileStoreOptions(nesting: .init(newKeys: .nested)), true),
            (["tls": ["port": 1]], FileStoreOptions(), true),
            ([:], FileStoreOptions(nesting: .init(newKeys: .flat)), false),
        ].enumerated() {
            // No journal of an earlier file is beside it.
            let name = "file \(number)"
            try folder.write(format.bytes(first), to: name)
            let process = try open(format, options, name: name)
            try process.save(["tls.client.port": 5])
            process.passTime()
            let table = try format.members(of: folder.bytes(of: name))
            let isInGroup = table["tls"]?.dictionaryValue?["client"] == ["port": 5]
            #expect((table["tls.client.port"] == 5) == !isNested, "\(first) \(options.nesting)")
            #expect(isInGroup == isNested, "\(first) \(options.nesting)")
            #expect(try open(format, options, name: name)["tls.client.port"] == 5)
        }
    }

    @Test func `batches, snapshots and observers have the keys`() async throws {
        try write()
        let (first, second) = (try open(), try open())
        let seen = Recorder<PropertyListChange.Entry>()
        let observation = second.store.observe(.named(["tls.port"]), initial: false) { $0.entries.forEach { seen($0) } }
        let before = second.store.snapshot()
        try first.save(["tls.port": 1])
        second.look()
        #expect(second["tls.port"] == 1)
        try await eventually("the observer is notified", seen.values.map(\.key), is: ["tls.port"])
        #expect(before["tls.port"] == 443)
        // A person edits another key, which does not concern the observer.
        first.passTime()
        try edit("\"port\": 80", to: "\"port\": 81")
        second.look()
        #expect(second["port"] == 81 && seen.count == 1)
        observation.cancel()
        let port = Defaults.Key<Int>("tls.port", default: 0)
        Defaults(first.store).update { batch in batch[port] += 1 }
        #expect(first["tls.port"] == 2)
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `processes that know no, some or all keys agree`(options: FileStoreOptions) throws {
        try write()
        let (all, some, none) = (try open(options), try open(keys: ["tls.port"], options), try open(keys: [], options))
        #expect(none["tls"] == ["port": 443, "client": ["port": 1]])
        #expect(some["tls.port"] == 443 && some["tls.client"] == ["port": 1])
        try all.save(["tls.host": "a"])
        try some.save(["tls.port": 5])
        try none.save(["port": 81])
        settle(all, some, none, all, some, none)
        all.look()
        #expect(
            all.store.snapshot() == [
                "port": 81, "tls.port": 5, "tls.host": "a", "tls.client.port": 1, "headers": ["a": ["b": 1]],
            ]
        )
        #expect(try open().store.snapshot() == all.store.snapshot())
        let tls: PropertyListValue = ["port": 5, "host": "a", "client": ["port": 1]]
        #expect(try members() == ["port": 81, "tls": tls, "headers": ["a": ["b": 1]]])
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `a whole group that another process writes is that of its keys`(options: FileStoreOptions) throws {
        try write()
        let (all, none) = (try open(options), try open(keys: [], options))
        try none.save(["tls": ["host": "b", "client": ["port": 7]]])
        all.look()
        #expect(all["tls.port"] == nil && all["tls.host"] == "b" && all["tls.client.port"] == 7)
        #expect(all["tls"] == none["tls"])
        try all.save(["tls.port": 4])
        settle(all, none, all)
        #expect(try open().store.snapshot() == all.store.snapshot())
        try none.save(["tls": 5])
        all.look()
        #expect(all["tls"] == 5 && all["tls.host"] == nil)
        settle(all, none, all)
        all.look()
        #expect(try open().store.snapshot() == all.store.snapshot())
    }

    @Test func `a second store of the process brings its keys along`() async throws {
        try write()
        let seams = FileStoreSeams.manual()
        let first = try JSONFileStore(path: folder.path("file"), seams: seams)
        let second = try JSONFileStore(path: folder.path("file"), keys: Self.typedKeys, seams: seams)
        let seen = [Recorder<String>(), Recorder<String>()]
        let observations = zip([first, second], seen).map { store, seen in
            store.observe(.all, initial: false) { $0.entries.forEach { seen($0.key) } }
        }
        #expect(first.snapshot() == Self.nested)
        #expect(second.snapshot().sortedKeys == ["headers", "port", "tls.client.port", "tls.port"])
        for store in [first, second] {
            #expect(store.value(forKey: "tls.port") == 443 && store.value(forKey: "tls")?["port"] == 443)
        }
        try first.apply(PropertyListBatch(.set(["port": 443, "host": "a"], key: "tls")))
        #expect(seen[0].values == ["tls"] && Set(seen[1].values) == ["tls.host", "tls.client.port"])
        for observation in observations { observation.cancel() }
    }

    @Test(arguments: StoreFormat.allCases)
    func `a key that is there twice is reported with both lines, or refused`(format: StoreFormat) throws {
        try write(["tls": ["port": 1], "tls.port": 2], format)
        let process = try open(format)
        #expect(process["tls.port"] == 2 && process.notices == [.keyHeldTwice])
        let nested = try open(format, FileStoreOptions(nesting: .init(duplicates: .nestedCounts)))
        #expect(nested["tls.port"] == 1)
        let reason = try #require(process.reasons.first)
        switch format {
        case .json: #expect(reason.contains("line 5 counts, and line 3 does not"))
        case .xml: #expect(reason.contains("line 10 counts, and line 7 does not"))
        case .binary: #expect(!reason.contains("line"))
        }
        let error = #expect(throws: FileStoreError.self) {
            _ = try open(format, FileStoreOptions(nesting: .init(duplicates: .areRefused)))
        }
        #expect(error?.step == .parse)
        try process.save(["tls.port": nil])
        process.passTime()
        #expect(try open(format)["tls.port"] == nil)
    }

    @Test func `a key that is there twice is reported once`() throws {
        try write(["tls": ["port": 1], "tls.port": 2, "port": 1])
        let (first, second) = (try open(.oneFile), try open(.oneFile))
        for number in 1...5 {
            try first.save(["port": .init(number)])
            second.look()
        }
        #expect(second.notices.count == 1, "\(second.notices)")
    }

    @Test func `lines are those of nested keys`() throws {
        try folder.overwrite(
            "file",
            "{\n  \"tls\": {\n    \"port\": 443,\n    \"client\": {\n      \"port\": 1\n    }\n  }\n}\n"
        )
        let lines = { (process: ProcessDouble) in
            ["tls.port", "tls.client.port"].map { process.provenance(of: $0)?.sources.first?.line }
        }
        #expect(try lines(open()) == [3, 5])
        try write(Self.nested, .xml)
        #expect(try lines(open(.xml)).allSatisfy { $0 != nil })
    }

    @Test func `processes without keys keep a dictionary whose name begins another key`() throws {
        do {
            let (first, second) = (try open(keys: []), try open(keys: []))
            try first.save(["a": ["x": 1]])
            first.passTime()
            second.look()
            #expect(second["a"] == ["x": 1])
            try first.save(["a.b": 5])
            second.look()
            for process in [first, second] { #expect(process["a"] == ["x": 1] && process["a.b"] == 5) }
            // Processes that are killed: nothing settles their stores.
            try folder.makeFolder("copy")
            for name in try folder.names where name != "copy" {
                try folder.write(folder.bytes(of: name), to: "copy/\(name)")
            }
            try second.save(["a": ["x": 2]])
            settle(first, second, first)
            #expect(first.store.snapshot() == second.store.snapshot())
        }
        #expect(try open(keys: [], name: "copy/file").store.snapshot() == ["a": ["x": 1], "a.b": 5])
        #expect(try open(keys: []).store.snapshot() == ["a": ["x": 2], "a.b": 5], "\(text())")
    }

    @Test func `a record that repeats what the file lacks removes no group`() throws {
        try write()
        let (all, other, none) = (try open(), try open(), try open(keys: []))
        try none.save(["tls": ["port": 443, "host": "b", "client": ["port": 7]]])
        // Saves read what others wrote, and make no checkpoint.
        try other.save(["o": 1])
        try all.save(["x": 1])
        try edit("\"port\": 80", to: "\"port\": 81")
        try all.save(["headers": 1])
        try other.save(["o": 2])
        for process in [all, other, try open()] { #expect(process["tls.port"] == 443) }
    }

    @Test func `a removal of no entry removes no group in another process`() throws {
        try write()
        let (all, other) = (try open(), try open())
        try all.save(["x": 1])
        try edit("\"port\": 80", to: "\"port\": 81")
        try all.save(["tls": nil, "y": 1])
        try other.save(["o": 2])
        let fresh = try open()
        #expect(all["tls.port"] == other["tls.port"] && fresh["tls.port"] == all["tls.port"])
    }

    @Test func `a process that starts between an edit and a checkpoint loses no nested write`() throws {
        try write()
        let all = try open()
        try all.save(["tls.port": 5])
        try edit("\"port\": 80", to: "\"port\": 81")
        let none = try open(keys: [])
        try none.save(["x": 1])
        none.passTime()
        all.look()
        #expect(all["tls.port"] == 5 && all["port"] == 81)
        #expect(try open()["tls.port"] == 5)
    }

    /// The process with other keys opens the file before or after the edit.
    @Test(arguments: [[], ["port"]], [false, true])
    func `a process with other keys does not undo a nested edit`(keys: [String], isLate: Bool) throws {
        try write(["tls": ["port": 443]])
        let all = try open()
        let early = isLate ? nil : try open(keys: keys)
        try all.save(["tls.host": 8])
        all.passTime()
        try edit("8", to: "9")
        let other = try early ?? open(keys: keys)
        other.look()
        if isLate {
            other.passTime()
            try other.save(["port": 1])
        } else {
            all.look()
        }
        settle(other, all, other, all)
        #expect(all["tls.host"] == 9, "\(text())")
        #expect(try open()["tls.host"] == 9, "\(text())")
    }

    @Test(arguments: StoreFormat.allCases)
    func `an unsaved dictionary becomes a group when a second store brings keys`(format: StoreFormat) throws {
        let seams = FileStoreSeams.manual()
        let first = try format.open(path: folder.path("file"), seams: seams)
        try first.apply(PropertyListBatch(.set(["port": 5], key: "tls")))
        let second = try format.open(path: folder.path("file"), keys: Self.typedKeys, seams: seams)
        #expect(second.value(forKey: "tls.port") == 5, "\(second.snapshot())")
        try second.synchronize()
        #expect(second.value(forKey: "tls.port") == 5, "\(second.snapshot())")
        #expect(try open(format).store.snapshot() == second.snapshot())
    }

    @Test func `null is no value that hides another one`() throws {
        try folder.overwrite("file", #"{"tls": {"port": 1}, "tls.port": null}"#)
        #expect(try open()["tls.port"] == 1)
    }

    @Test func `a second store refuses keys that are there twice, and the text stays`() throws {
        let original = "{\n  // note\n  \"tls\": {\"port\": 1}, // x\n  \"tls.port\": 2\n}\n"
        try folder.overwrite("file.jsonc", original)
        let (path, seams) = (folder.path("file.jsonc"), FileStoreSeams.manual())
        let options = FileStoreOptions(journal: .none, nesting: .init(duplicates: .areRefused))
        let first = try JSONFileStore(path: path, options: options, seams: seams)
        #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: path, keys: Self.typedKeys, options: options, seams: seams)
        }
        try first.apply(PropertyListBatch(.set(1, key: "port")))
        try first.synchronize()
        let text = text("file.jsonc")
        #expect(text.contains("// note") && text.contains("// x"), "\(text)")
    }

    @Test func `comments stay when another process writes a scalar in the place of a group`() throws {
        try folder.overwrite("file.jsonc", "{\n  // note\n  \"tls\": {\"port\": 1}, // x\n  \"port\": 2 // y\n}\n")
        let (all, none) = (try open(name: "file.jsonc"), try open(keys: [], name: "file.jsonc"))
        try none.save(["tls": 5])
        settle(all)
        let text = text("file.jsonc")
        #expect(["// note", "// x", "// y"].allSatisfy(text.contains), "\(text)")
    }

    /// A third process reads both records at once, or none has been read before it looks.
    @Test(arguments: [false, true])
    func `processes agree on a key and its whole group, whichever was written first`(isGroupFirst: Bool) throws {
        try write()
        let (all, none, late) = (try open(), try open(keys: []), try open())
        if isGroupFirst { try none.set(["tls": ["host": "b"]]) }
        try all.save(["tls.port": 5])
        if !isGroupFirst { try none.set(["tls": ["host": "b"]]) }
        try none.store.synchronize()
        // Looks also run the timers, so that the first one makes a checkpoint.
        let order = isGroupFirst ? [all, late, none] : [late, all, none]
        for process in order { process.look() }
        #expect(all.store.snapshot() == late.store.snapshot())
        #expect(try all.store.snapshot() == open().store.snapshot())
        #expect(none["tls.port"] == all["tls.port"] && none["tls"] == all["tls"])
        #expect(none["tls.client.port"] == all["tls.client.port"])
        none.passTime()
        all.look()
        #expect(try all.store.snapshot() == open().store.snapshot(), "\(text())")
    }

    @Test func `a failed open changes nothing for the other stores of the file`() throws {
        try write(["tls": ["port": 1, "unknown": 2]])
        let seams = FileStoreSeams.manual()
        let first = try JSONFileStore(path: folder.path("file"), seams: seams)
        #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: folder.path("file"), keys: Self.typedKeys, unknownNames: .strict, seams: seams)
        }
        #expect(first.value(forKey: "tls") == ["port": 1, "unknown": 2], "\(first.snapshot())")
    }

    @Test(arguments: [
        "\u{FEFF}{\r\n  \"tls\": {\r\n    \"port\": 1\r\n  }\r\n}\r\n", "\u{FEFF}{}", "\u{FEFF}{\r\n}\r\n",
    ])
    func `a file with a BOM and CRLF takes nested keys`(original: String) throws {
        try folder.overwrite("file", original)
        let process = try open()
        try process.save(["tls.host": "a", "tls.client.port": 2, "port": 4])
        process.passTime()
        #expect(try open().store.snapshot() == process.store.snapshot(), "\(text().debugDescription)")
    }

    @Test(arguments: StoreFormat.allCases)
    func `a key that a store writes beside a dictionary of its group counts`(format: StoreFormat) throws {
        try write(["tls.client": ["port": 1], "tls": ["host": "a"]], format)
        let some = try open(format, keys: ["tls.host"])
        try some.save(["tls.client.port": 2])
        some.passTime()
        let all = try open(format)
        #expect(some["tls.client.port"] == 2 && all["tls.client.port"] == 2)
    }

    @Test func `names of other stores of the process are known`() throws {
        let seams = FileStoreSeams.manual()
        try write(["tls": ["port": 1]])
        let first = try JSONFileStore(
            path: folder.path("file"),
            validate: { table in if table["tls"] == nil { throw FileStoreError.invalidPath("x", reason: "x") } },
            seams: seams
        )
        let second = try JSONFileStore(path: folder.path("file"), keys: Self.typedKeys, seams: seams)
        #expect(second.value(forKey: "tls.port") == 1, "\(second.snapshot())")
        try second.apply(PropertyListBatch(.set(2, key: "tls.host")))
        try second.synchronize()
        #expect(second.value(forKey: "tls.port") == 1, "\(second.snapshot()) \(first.name)")
    }

    @Test func `two processes cannot exceed the limit of the file together with deep keys`() throws {
        let steps = Array(repeating: "a", count: 15).joined(separator: ".")
        let keys = (0..<60).map { number in "g\(number).\(steps).k" }
        let options = FileStoreOptions(limits: FileStoreLimits(fileSize: 20_000))
        let processes = [try open(keys: keys, options), try open(keys: keys, options)]
        for (number, key) in keys.enumerated() { try? processes[number % 2].save([key: 1]) }
        settle(processes[0], processes[1])
        #expect(processes.allSatisfy { $0.failures.isEmpty })
    }
}
