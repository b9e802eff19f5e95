import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanFileStore

private struct ServerKeys: KeyGroup {
    let port = Key<Int>("port", default: 8080).validated(by: .range(1...65_535))
    let timeout = Key<Duration>("limits.timeout", default: .seconds(30))
    let motto = Key<String>("motto", default: "-")
    let token = Key<Int>("token", default: 0).secret()
}

/// The notices of a store's file.
private final class Notices: Sendable {
    let all = Locked<[FileStoreNotice]>([])
}

extension JSONFileStore {
    /// Reads the file as after an event of it.
    fileprivate func look() throws {
        engine.fileMayHaveChanged()
        try engine.refresh(onFreeThread: true)
    }
}

/// A value that its key cannot use holds back nothing but itself.
@Suite final class UnusableValueTests {
    private let folder: TemporaryFolder
    private let notices = Notices()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the file, which is read again when a test says so.
    private func open(
        _ options: FileStoreOptions = FileStoreOptions(),
        validate: StoreValidation.Validator? = nil
    ) throws -> (store: JSONFileStore, settings: Defaults.Group<ServerKeys>) {
        let notices = notices
        var options = options
        options.isWatching = false
        var seams = FileStoreSeams.ofProcess()
        // Nothing in the background reads the file.
        seams.queue = ManualWorkQueue()
        seams.openEngines = OpenEngines()
        seams.report = { report in
            if case .notice(let notice) = report { notices.all.withLock { $0.append(notice) } }
        }
        let path = folder.path("settings.json")
        let store = try JSONFileStore(
            path: path,
            keys: ServerKeys.allKeys,
            options: options,
            validate: validate,
            seams: seams
        )
        return (store, Defaults.Group<ServerKeys>(store))
    }

    private func write(_ text: String) throws { try folder.overwrite("settings.json", text) }

    private var reasons: [String] { notices.all.withLock { $0.map(\.reason) } }
    private var kinds: [FileStoreNotice.Kind] { notices.all.withLock { $0.map(\.kind) } }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `other values of the version take effect`(options: FileStoreOptions) throws {
        try write(#"{"port": 1, "limits": {"timeout": "5s"}, "motto": "a"}"#)
        let (store, settings) = try open(options)
        try write("{\n  \"port\": \"one\",\n  \"limits\": {\n    \"timeout\": \"5\"\n  },\n  \"motto\": \"b\"\n}\n")
        try store.look()
        #expect(settings.motto == "b")
        #expect(settings.port == 1 && settings.timeout == .seconds(5))
        let reason = try #require(reasons.first)
        #expect(kinds == [.valuesHeldBack])
        #expect(reason.contains("line 2: key \"port\": expected an integer but found a string"))
        #expect(
            reason.contains(
                "line 4: key \"limits.timeout\": found a string that cannot be read: it is no duration; write it as 5s"
            )
        )
        // Reported once, and not again with each look.
        try store.look()
        #expect(reasons.count == 1)

        // A correction of one of the two.
        try write(#"{"port": 2, "limits": {"timeout": "5"}, "motto": "c"}"#)
        try store.look()
        #expect(settings.port == 2 && settings.timeout == .seconds(5) && settings.motto == "c")
        try write(#"{"port": 2, "limits": {"timeout": "7s"}, "motto": "c"}"#)
        try store.look()
        #expect(settings.timeout == .seconds(7))
        #expect(store.snapshot() == ["port": 2, "limits.timeout": "7s", "motto": "c"])
    }

    @Test func `a value that breaks a rule is held back`() throws {
        try write(#"{"port": 1}"#)
        let (store, settings) = try open()
        try write(#"{"port": 70000, "motto": "b"}"#)
        try store.look()
        #expect(settings.port == 1 && settings.motto == "b")
        #expect(reasons.first?.contains("line 1: key \"port\": the value must be ") == true)
    }

    @Test func `the file keeps the value, and a save of others changes nothing of it`() throws {
        try write("{\n  \"port\": 1,\n  \"motto\": \"a\"\n}\n")
        let (store, settings) = try open(.oneFile)
        try write("{\n  \"port\": \"one\",\n  \"motto\": \"a\"\n}\n")
        try store.look()
        settings.motto = "mine"
        try store.synchronize()
        #expect(
            try String(decoding: folder.bytes(of: "settings.json"), as: UTF8.self)
                == "{\n  \"port\": \"one\",\n  \"motto\": \"mine\"\n}\n"
        )
        #expect(settings.port == 1)
        // A write of this process replaces it.
        settings.port = 5
        try store.synchronize()
        #expect(
            try String(decoding: folder.bytes(of: "settings.json"), as: UTF8.self)
                == "{\n  \"port\": 5,\n  \"motto\": \"mine\"\n}\n"
        )
        #expect(settings.port == 5)
    }

    @Test func `a batch that rests on the value fails, and others do not`() throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        let (store, _) = try open()
        try write(#"{"port": "one", "motto": "b"}"#)
        try store.look()
        let defaults = Defaults(store)
        defaults.modify(ServerKeys().motto) { $0 += "!" }
        #expect(defaults[ServerKeys().motto] == "b!")
        #expect(throws: Defaults.WriteError.self) { try defaults.modify(ServerKeys().port.throwing()) { $0 += 1 } }
        #expect(defaults[ServerKeys().port] == 1)
    }

    @Test func `a removal is no value`() throws {
        try write(#"{"port": 1}"#)
        let (store, settings) = try open()
        try write(#"{"port": "one"}"#)
        try store.look()
        try write("{}")
        try store.look()
        #expect(settings.port == 8080 && store.snapshot() == [:])
        #expect(reasons.count == 1)
    }

    @Test func `the validation sees the values as they will be`() throws {
        try write(#"{"port": 1}"#)
        let seen = Locked<[PropertyListTable]>([])
        let (store, settings) = try open { contents in
            seen.withLock { $0.append(contents) }
            if contents["motto"] == "bad" { throw FileStoreError.openWithOtherSettings(path: "") }
        }
        try write(#"{"port": "one", "motto": "b"}"#)
        try store.look()
        #expect(seen.withLock { $0.last } == ["port": 1, "motto": "b"])
        try write(#"{"port": 3, "motto": "bad"}"#)
        try store.look()
        #expect(settings.port == 1 && settings.motto == "b")
        try write(#"{"port": 3, "motto": "c"}"#)
        try store.look()
        #expect(settings.port == 3 && settings.motto == "c")
    }

    @Test func `the options let them take effect, or refuse the version`() throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        do {
            let (store, settings) = try open(FileStoreOptions(unusableValues: .areAdmitted))
            try write(#"{"port": "one", "motto": "b"}"#)
            try store.look()
            #expect(settings.port == 8080 && settings.motto == "b" && reasons.isEmpty)
            try write(#"{"port": 1, "motto": "a"}"#)
        }
        do {
            let (store, settings) = try open(FileStoreOptions(unusableValues: .areRefused))
            try write(#"{"port": "one", "motto": "b"}"#)
            try store.look()
            #expect(settings.port == 1 && settings.motto == "a")
            #expect(kinds == [.rejected])
        }
        let error = #expect(throws: FileStoreError.self) { try open(FileStoreOptions(unusableValues: .areRefused)) }
        #expect(error?.step == .validate && error?.reason.contains("line 1: key \"port\"") == true)
        // Otherwise the store opens, and the key reads its default.
        #expect(try open().settings.port == 8080)
    }

    @Test func `the value of a secret is not named`() throws {
        try write(#"{"token": 1}"#)
        let (store, settings) = try open()
        try write(#"{"token": "hunter2"}"#)
        try store.look()
        #expect(settings.token == 1)
        #expect(reasons.count == 1 && !reasons[0].contains("hunter2"))
    }

    @Test func `a store without keys takes everything`() throws {
        try write(#"{"port": 1}"#)
        let store = try JSONFileStore(path: folder.path("settings.json"), options: FileStoreOptions(isWatching: false))
        try write(#"{"port": "one"}"#)
        try store.look()
        #expect(store.value(forKey: "port") == "one")
    }

    @Test func `observers hear of the admitted values only`() throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        let (store, _) = try open()
        let heard = Locked<[String]>([])
        let observation = store.observe(.all, initial: false) { change in
            heard.withLock { $0 += change.entries.map(\.key) }
        }
        try write(#"{"port": "one", "motto": "b"}"#)
        try store.look()
        #expect(heard.withLock { $0 } == ["motto"])
        try write(#"{"port": 4, "motto": "b"}"#)
        try store.look()
        #expect(heard.withLock { $0 } == ["motto", "port"])
        observation.cancel()
    }
}
