@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Stores with different keys on one file, whole groups, and texts that people changed.
@Suite struct NestedConflictTests {
    static let keys = ["port", "tls.port", "tls.host", "tls.client.port", "headers"]
    static let nested: PropertyListTable = [
        "port": 80, "tls": ["port": 443, "client": ["port": 1]], "headers": ["a": ["b": 1]],
    ]
    private let folder = TemporaryFolder.forTest

    private func open(
        _ format: StoreFormat = .json,
        keys: [String] = NestedConflictTests.keys,
        _ options: FileStoreOptions = FileStoreOptions(),
        name: String = "file"
    ) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path(name), format: format, keys: keys, options: options)
    }

    /// Seams for several stores of one process.
    private func seamsOfOneProcess() -> FileStoreSeams {
        FileStoreSeams(
            fileSystem: POSIXFileSystem(),
            queue: ManualWorkQueue(),
            watcher: ManualFileWatcher(),
            openEngines: OpenEngines(),
            report: { _ in }
        )
    }

    private func text(_ name: String = "file") -> String {
        String(decoding: (try? folder.bytes(of: name)) ?? [], as: UTF8.self)
    }

    private func show(_ process: ProcessDouble) -> String {
        let table = process.store.snapshot()
        return table.sortedKeys.map { "\($0)=\(table[$0].map { "\($0)" } ?? "nil")" }.joined(separator: ", ")
    }

    @Test func `a store without keys keeps a dictionary whose name begins another key`() throws {
        do {
            let process = try open(keys: [])
            try process.save(["a": ["x": 1]])
            process.passTime()
            try process.save(["a.b": 5])
            #expect(process["a"] == ["x": 1])
            // The process is killed: nothing settles its store.
            try folder.makeFolder("copy")
            for name in try folder.names where name != "copy" {
                try folder.write(folder.bytes(of: name), to: "copy/\(name)")
            }
        }
        let other = try open(keys: [], name: "copy/file")
        #expect(other["a"] == ["x": 1] && other["a.b"] == 5, "\(other.store.snapshot())")
    }

    @Test func `another process without keys keeps a dictionary too`() throws {
        let (first, second) = (try open(keys: []), try open(keys: []))
        try first.save(["a": ["x": 1]])
        second.look()
        #expect(second["a"] == ["x": 1])
        try first.save(["a.b": 5])
        second.look()
        #expect(second["a"] == ["x": 1] && second["a.b"] == 5, "\(second.store.snapshot())")
        #expect(throws: Never.self) { try second.save(["a": ["x": 2]]) }
        for process in [first, second, first] {
            process.look()
            process.passTime()
        }
        #expect(first.store.snapshot() == second.store.snapshot())
        #expect(try open(keys: []).store.snapshot() == ["a": ["x": 2], "a.b": 5], "\(text())")
    }

    @Test func `a record that repeats what the file lacks removes no group`() throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let (all, other, none) = (try open(), try open(), try open(keys: []))
        try none.save(["tls": ["port": 443, "host": "b", "client": ["port": 7]]])
        // Saves read what others wrote, and make no checkpoint.
        try other.save(["o": 1])
        try all.save(["x": 1])
        try folder.replace("file", text().replacing("\"port\": 80", with: "\"port\": 81"))
        try all.save(["headers": 1])
        try other.save(["o": 2])
        let fresh = try open()
        #expect(all["tls.port"] == 443 && other["tls.port"] == 443 && fresh["tls.port"] == 443)
    }

    @Test func `a process that starts between an edit and a checkpoint loses no nested write`() throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let all = try open()
        try all.save(["tls.port": 5])
        try folder.replace("file", text().replacing("\"port\": 80", with: "\"port\": 81"))
        let none = try open(keys: [])
        try none.save(["x": 1])
        none.passTime()
        all.look()
        let again = try open()
        #expect(all["tls.port"] == 5 && all["port"] == 81)
        #expect(again["tls.port"] == 5)
    }

    @Test func `an edit of a nested value right after a checkpoint is not undone by a process that has other keys`()
        throws
    {
        try folder.write(StoreFormat.json.bytes(["tls": ["port": 443]]), to: "file")
        let (all, none) = (try open(), try open(keys: []))
        try all.save(["tls.host": 8])
        all.passTime()
        try folder.replace("file", text().replacing("8", with: "9"))
        none.look()
        all.look()
        for process in [none, all, none, all] {
            process.passTime()
            process.look()
        }
        #expect(all["tls.host"] == 9, "\(show(all)) none \(show(none)) file \(text())")
        #expect(try open()["tls.host"] == 9)
    }

    @Test func `a process that is opened after the edit of a nested value does not undo it`() throws {
        try folder.write(StoreFormat.json.bytes(["tls": ["port": 443]]), to: "file")
        let all = try open()
        try all.save(["tls.host": 8])
        all.passTime()
        try folder.replace("file", text().replacing("8", with: "9"))
        let some = try open(keys: ["port"])
        some.passTime()
        try some.save(["port": 1])
        some.passTime()
        all.look()
        #expect(all["tls.host"] == 9, "\(show(all)) some \(show(some)) file \(text())")
    }

    @Test(arguments: StoreFormat.allCases) func `an unsaved dictionary becomes a group when a second store brings keys`(
        format: StoreFormat
    ) throws {
        let seams = seamsOfOneProcess()
        let keys: [Defaults.AnyKey] = Self.keys.map { Defaults.Key<Int>($0, default: 0) }
        let first = try format.open(path: folder.path("file"), seams: seams)
        try first.apply(PropertyListBatch(.set(["port": 5], key: "tls")))
        let second = try format.open(path: folder.path("file"), keys: keys, seams: seams)
        #expect(second.value(forKey: "tls.port") == 5, "\(second.snapshot())")
        try second.synchronize()
        #expect(second.value(forKey: "tls.port") == 5, "\(second.snapshot())")
        let again = try open(format)
        #expect(
            again["tls.port"] == 5 && again.store.snapshot() == second.snapshot(),
            "\(again.store.snapshot()) \(second.snapshot())"
        )
    }

    @Test func `null is no value that hides another one`() throws {
        try folder.overwrite("file", #"{"tls": {"port": 1}, "tls.port": null}"#)
        #expect(try open()["tls.port"] == 1)
    }

    @Test func `a second store refuses keys that are there twice, and the text stays`() throws {
        let original = "{\n  // note\n  \"tls\": {\"port\": 1}, // x\n  \"tls.port\": 2\n}\n"
        try folder.overwrite("file.jsonc", original)
        let seams = seamsOfOneProcess()
        let options = FileStoreOptions(journal: .none, nesting: .init(duplicates: .areRefused))
        let keys: [Defaults.AnyKey] = Self.keys.map { Defaults.Key<Int>($0, default: 0) }
        let first = try JSONFileStore(path: folder.path("file.jsonc"), options: options, seams: seams)
        #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: folder.path("file.jsonc"), keys: keys, options: options, seams: seams)
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
        all.look()
        all.passTime()
        let text = text("file.jsonc")
        #expect(text.contains("// note") && text.contains("// x") && text.contains("// y"), "\(text)")
    }

    @Test func `processes agree on a key and its whole group`() throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let (all, none, late) = (try open(), try open(keys: []), try open())
        try none.set(["tls": ["host": "b"]])
        try all.save(["tls.port": 5])
        try none.store.synchronize()
        all.look()
        late.look()
        none.look()
        #expect(all.store.snapshot() == late.store.snapshot())
        #expect(none["tls.client.port"] == all["tls.client.port"] && none["tls"] == nil, "\(show(none))")
        none.passTime()
        all.look()
        let again = try open()
        #expect(
            all.store.snapshot() == again.store.snapshot(),
            "\(text()) \(all.store.snapshot()) \(again.store.snapshot())"
        )
    }

    @Test func `a removal of no entry removes no group in another process`() throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let (all, other) = (try open(), try open())
        try all.save(["x": 1])
        try folder.replace("file", text().replacing("\"port\": 80", with: "\"port\": 81"))
        try all.save(["tls": nil, "y": 1])
        try other.save(["o": 2])
        let fresh = try open()
        #expect(all["tls.port"] == other["tls.port"] && fresh["tls.port"] == all["tls.port"])
    }

    @Test func `a key that is there twice is reported once`() throws {
        try folder.write(StoreFormat.json.bytes(["tls": ["port": 1], "tls.port": 2, "port": 1]), to: "file")
        let (first, second) = (try open(.json, keys: Self.keys, .oneFile), try open(.json, keys: Self.keys, .oneFile))
        for number in 1...5 {
            try first.save(["port": .init(number)])
            second.look()
        }
        #expect(second.notices.count == 1, "\(second.notices)")
    }

    @Test func `a failed open changes nothing for the other stores of the file`() throws {
        try folder.write(StoreFormat.json.bytes(["tls": ["port": 1, "unknown": 2]]), to: "file")
        let seams = seamsOfOneProcess()
        let keys: [Defaults.AnyKey] = Self.keys.map { Defaults.Key<Int>($0, default: 0) }
        let first = try JSONFileStore(path: folder.path("file"), seams: seams)
        #expect(throws: FileStoreError.self) {
            _ = try JSONFileStore(path: folder.path("file"), keys: keys, unknownNames: .strict, seams: seams)
        }
        #expect(first.value(forKey: "tls") == ["port": 1, "unknown": 2], "\(first.snapshot())")
    }

    @Test func `a key of no dotted shape in a file with a BOM and CRLF`() throws {
        for original in [
            "\u{FEFF}{\r\n  \"tls\": {\r\n    \"port\": 1\r\n  }\r\n}\r\n", "\u{FEFF}{}", "\u{FEFF}{\r\n}\r\n",
        ] {
            try folder.overwrite("file", original)
            let process = try open()
            try process.save(["tls.host": "a", "tls.client.port": 2, "port": 4])
            process.passTime()
            #expect(try open().store.snapshot() == process.store.snapshot(), "\(text().debugDescription)")
        }
    }

    @Test(arguments: StoreFormat.allCases)
    func `a key that a store writes beside a dictionary of its group counts`(format: StoreFormat) throws {
        try folder.write(format.bytes(["tls.client": ["port": 1], "tls": ["host": "a"]]), to: "file")
        let some = try open(format, keys: ["tls.host"])
        try some.save(["tls.client.port": 2])
        some.passTime()
        let all = try open(format)
        #expect(some["tls.client.port"] == 2 && all["tls.client.port"] == 2, "\(show(some)) \(show(all))")
    }

    @Test func `a process that reads two records at once agrees with one that reads them one by one`() throws {
        try folder.write(StoreFormat.json.bytes(Self.nested), to: "file")
        let (all, none, late) = (try open(), try open(keys: []), try open())
        try all.save(["tls.port": 5])
        try none.set(["tls": ["host": "b"]])
        try none.store.synchronize()
        // Looks also run the timers, so that the first one makes a checkpoint.
        late.look()
        all.look()
        none.look()
        let fresh = try open()
        #expect(show(all) == show(late) && show(all) == show(fresh))
        #expect(none["tls.port"] == all["tls.port"] && none["tls.client"] == nil, "\(show(none))")
        none.passTime()
        all.look()
        #expect(show(all) == show(try open()), "\(text())")
    }

    @Test func `names of other stores of the process are known`() throws {
        let seams = seamsOfOneProcess()
        let keys: [Defaults.AnyKey] = Self.keys.map { Defaults.Key<Int>($0, default: 0) }
        try folder.write(StoreFormat.json.bytes(["tls": ["port": 1]]), to: "file")
        let first = try JSONFileStore(
            path: folder.path("file"),
            validate: { table in if table["tls"] == nil { throw FileStoreError.invalidPath("x", reason: "x") } },
            seams: seams
        )
        let second = try JSONFileStore(path: folder.path("file"), keys: keys, seams: seams)
        #expect(second.value(forKey: "tls.port") == 1, "\(second.snapshot())")
        try second.apply(PropertyListBatch(.set(2, key: "tls.host")))
        try second.synchronize()
        #expect(second.value(forKey: "tls.port") == 1, "\(second.snapshot()) \(first.name)")
    }

    @Test func `two processes cannot exceed the limit of the file together with deep keys`() throws {
        let keys = (0..<60).map { number in
            "g\(number)." + Array(repeating: "a", count: 15).joined(separator: ".") + ".k"
        }
        let options = FileStoreOptions(limits: FileStoreLimits(fileSize: 20_000))
        let processes = [try open(keys: keys, options), try open(keys: keys, options)]
        var refused = 0
        for (number, key) in keys.enumerated() {
            do { try processes[number % 2].save([key: 1]) } catch { refused += 1 }
        }
        for process in processes {
            process.look()
            process.passTime()
        }
        #expect(processes.allSatisfy { $0.failures.isEmpty })
    }
}
