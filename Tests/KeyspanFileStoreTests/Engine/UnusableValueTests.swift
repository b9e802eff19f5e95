@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanFileStore

private struct ServerKeys: KeyGroup {
    let port = Key<Int>("port", default: 8080).validated(by: .range(1...65_535))
    let timeout = Key<Duration>("limits.timeout", default: .seconds(30))
    let motto = Key<String>("motto", default: "-")
    let token = Key<Int>("token", default: 0).secret()
}

/// A value in two entries, which are integers both.
private struct Limits: Equatable, Defaults.Serializable {
    var low: Int64
    var high: Int64

    struct Bridge: Defaults.DirectBridge {
        func entries(of key: String) -> [String] { [key + ".low", key + ".high"] }

        func get(key: String, store: PropertyListTable) -> Limits? {
            guard let low = store[key + ".low"]?.integerValue?.int64,
                let high = store[key + ".high"]?.integerValue?.int64
            else { return nil }
            return Limits(low: low, high: high)
        }

        func save(key: String, value: Limits?, store: inout PropertyListEdit) {
            store[key + ".low"] = value.map { .init($0.low) }
            store[key + ".high"] = value.map { .init($0.high) }
        }
    }

    static let bridge = Bridge()
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
    private struct Rejection: Error {}
    private let folder = TemporaryFolder.forTest
    private let notices = Recorder<FileStoreNotice>()

    /// Opens the file, which is read again when a test says so.
    private func open(
        _ options: FileStoreOptions = FileStoreOptions(),
        keys: [Defaults.AnyKey] = ServerKeys.allKeys,
        sharing engines: OpenEngines = OpenEngines(),
        queue: ManualWorkQueue = ManualWorkQueue(),
        validate: StoreValidation.Validator? = nil
    ) throws -> (store: JSONFileStore, settings: Defaults.Group<ServerKeys>) {
        var options = options
        options.isWatching = false
        let seams = FileStoreSeams.manual(queue: queue, engines: engines) { [notices] report in
            if case .notice(let notice) = report { notices.record(notice) }
        }
        let path = folder.path("settings.json")
        let store = try JSONFileStore(path: path, keys: keys, options: options, validate: validate, seams: seams)
        return (store, Defaults.Group<ServerKeys>(store))
    }

    private func write(_ text: String) throws { try folder.overwrite("settings.json", text) }

    private func look(_ store: JSONFileStore, at text: String) throws {
        try write(text)
        try store.look()
    }

    private var reasons: [String] { notices.values.map(\.reason) }
    private var kinds: [FileStoreNotice.Kind] { notices.values.map(\.kind) }

    @Test func `no report shows a part of a secret, or a secret inside of another value`() throws {
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<[String: String]>("login", default: [:]).secret(), Defaults.Key<Int>("login.pin", default: 0),
            Defaults.Key<String>("tls.password", default: "").secret(),
            Defaults.Key<[String: Int]>("tls", default: [:]),
        ]
        let text = #"{"login": {"pin": "hunter2"}, "tls": {"password": "hunter2"}}"#
        try write(#"{"login": {"pin": 1}, "tls": {"max": 1}}"#)
        let (store, _) = try open(keys: keys)
        try look(store, at: text)
        try #require(kinds == [.valuesHeldBack])
        let reloading = #expect(throws: StoreError.self) { try store.reload() }
        let plain = try JSONFileStore(path: folder.path("settings.json"), seams: .manual())
        let validating = #expect(throws: Defaults.ValidationError.self) { try Defaults(plain).validate(keys) }
        for text in reasons + ["\(String(describing: reloading))", "\(String(describing: validating))"] {
            #expect(text.contains("login.pin") && text.contains("tls"))
            #expect(!text.contains("hunter2"))
        }
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `other values of the version take effect`(options: FileStoreOptions) throws {
        try write(#"{"port": 1, "limits": {"timeout": "5s"}, "motto": "a"}"#)
        let (store, settings) = try open(options)
        let unusable =
            "{\n  \"port\": \"one\",\n  \"limits\": {\n    \"timeout\": \"5\"\n  },\n  \"motto\": \"b\"\n}\n"
        try look(store, at: unusable)
        #expect(settings.motto == "b")
        #expect(settings.port == 1 && settings.timeout == .seconds(5))
        let reason = try #require(reasons.first)
        #expect(kinds == [.valuesHeldBack])
        #expect(reason.contains("line 2: key \"port\": expected an integer but found the string \"one\""))
        let timeout =
            "line 4: key \"limits.timeout\": found the string \"5\", which cannot be read: a duration needs a unit"
        #expect(reason.contains("\(timeout), such as 5s"))
        // Reported once, and not again with each look.
        try store.look()
        #expect(reasons.count == 1)

        // A correction of one of the two.
        try look(store, at: #"{"port": 2, "limits": {"timeout": "5"}, "motto": "c"}"#)
        #expect(settings.port == 2 && settings.timeout == .seconds(5) && settings.motto == "c")
        try look(store, at: #"{"port": 2, "limits": {"timeout": "7s"}, "motto": "c"}"#)
        #expect(settings.timeout == .seconds(7))
        #expect(store.snapshot() == ["port": 2, "limits.timeout": "7s", "motto": "c"])
    }

    @Test func `a value that breaks a rule is held back`() throws {
        try write(#"{"port": 1}"#)
        let (store, settings) = try open()
        try look(store, at: #"{"port": 70000, "motto": "b"}"#)
        #expect(settings.port == 1 && settings.motto == "b")
        let reason = "line 1: key \"port\": found the integer 70000, but the stored value must be "
        #expect(reasons.first?.contains(reason) == true)
    }

    @Test func `the file keeps the value, and a save of others changes nothing of it`() throws {
        try write("{\n  \"port\": 1,\n  \"motto\": \"a\"\n}\n")
        let (store, settings) = try open(.oneFile)
        try look(store, at: "{\n  \"port\": \"one\",\n  \"motto\": \"a\"\n}\n")
        settings.motto = "mine"
        try store.synchronize()
        #expect(try folder.text(of: "settings.json") == "{\n  \"port\": \"one\",\n  \"motto\": \"mine\"\n}\n")
        #expect(settings.port == 1)
        // A write of this process replaces it.
        settings.port = 5
        try store.synchronize()
        #expect(try folder.text(of: "settings.json") == "{\n  \"port\": 5,\n  \"motto\": \"mine\"\n}\n")
        #expect(settings.port == 5)
    }

    @Test func `a batch that rests on the value fails, and others do not`() throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        let store = try open().store
        try write(#"{"port": "one", "motto": "b"}"#)
        let (defaults, keys) = (Defaults(store), ServerKeys())
        // The first batch is the first to read the value.
        for _ in 1...2 {
            #expect(throws: Defaults.WriteError.self) { try defaults.modify(keys.port.throwing()) { $0 += 1 } }
            #expect(defaults[keys.port] == 1 && kinds == [.valuesHeldBack])
        }
        defaults.modify(keys.motto) { $0 += "!" }
        #expect(defaults[keys.motto] == "b!")
    }

    @Test(arguments: [FileStoreOptions(), .oneFile], [#"{"port": 1, "motto": "a"}"#, #"{"motto": "a"}"#])
    func `a batch that only replaces the value does not need it`(options: FileStoreOptions, original: String) throws {
        let keys = ServerKeys()
        let replacements: [(port: Int, replace: (Defaults) throws -> Void)] = [
            (9, { try $0.set(9, for: keys.port) }),
            (9, { $0.update { $0[keys.port] = 9 } }),
            (9, { _ = try $0.commit { $0[keys.port] = 9 } }),
            (8080, { $0.reset(keys.port) }),
            (8080, { $0.reset(["port"]) }),
            (8080, { $0.update { $0.reset(keys.port, keys.motto) } }),
            (8080, { $0.removeAll() }),
        ]
        for (port, replace) in replacements {
            try write(original)
            do {
                let (store, settings) = try open(options)
                try look(store, at: #"{"port": "one", "motto": "b"}"#)
                try replace(Defaults(store))
                #expect(settings.port == port)
                try store.synchronize()
            }
            // The file has the values that memory had.
            let (store, settings) = try open(options)
            #expect(settings.port == port && store.value(forKey: "port") == (port == 9 ? 9 : nil))
        }
    }

    @Test func `a value in several entries is held back as a whole`() throws {
        let key = Defaults.Key<Limits?>("limits")
        try write(#"{"limits.low": 1, "limits.high": 9, "motto": "a"}"#)
        let (store, settings) = try open(keys: [key, ServerKeys().motto])
        try look(store, at: #"{"limits.low": 5, "limits.high": "ten", "motto": "b"}"#)
        #expect(Defaults(store)[key] == Limits(low: 1, high: 9) && settings.motto == "b")
        try look(store, at: #"{"limits.low": 5, "limits.high": 10, "motto": "b"}"#)
        #expect(Defaults(store)[key] == Limits(low: 5, high: 10))
    }

    /// The first key could use 0 or 5 beside the value that the second one needs, or could not.
    @Test(arguments: [0, 5])
    func `a key with an entry of a value that is held back keeps all of its entries`(first: Int) throws {
        let (below, above) = (Defaults.Key<Rising?>("a-b"), Defaults.Key<Rising?>("b-c"))
        try write(#"{"a": 1, "b": 2, "c": 3, "motto": "a"}"#)
        let (store, settings) = try open(keys: [below, above, ServerKeys().motto])
        try look(store, at: #"{"a": \#(first), "b": 6, "c": 4, "motto": "b"}"#)
        #expect(Defaults(store)[below] == Rising(low: 1, high: 2) && Defaults(store)[above] == Rising(low: 2, high: 3))
        #expect(settings.motto == "b" && reasons.count == 1)
        // The entry that both have is the same in this version.
        try look(store, at: #"{"a": 0, "b": 2, "c": 1, "motto": "c"}"#)
        #expect(Defaults(store)[below] == Rising(low: 0, high: 2) && Defaults(store)[above] == Rising(low: 2, high: 3))
        try look(store, at: #"{"a": 5, "b": 6, "c": 7, "motto": "c"}"#)
        #expect(Defaults(store)[below] == Rising(low: 5, high: 6) && Defaults(store)[above] == Rising(low: 6, high: 7))
    }

    @Test func `a dictionary that cannot be used with the member that is held back keeps its value`() throws {
        let rising = Defaults.Rule<[String: Int]>("rising") { ($0["low"] ?? 0) <= ($0["high"] ?? 0) }
        let limits = Defaults.Key<[String: Int]>("limits", default: [:]).validated(by: rising)
        let high = Defaults.Key<Int>("limits.high", default: 0).validated(by: .range(1...10))
        try write(#"{"limits": {"low": 1, "high": 9}}"#)
        let store = try open(keys: [limits, high]).store
        try look(store, at: #"{"limits": {"low": 20, "high": 50}}"#)
        #expect(Defaults(store)[limits] == ["low": 1, "high": 9] && Defaults(store)[high] == 9)
    }

    @Test func `a value is reported once, whatever others change beside it, and again when it comes back`() throws {
        try write(#"{"port": 1}"#)
        let engines = OpenEngines()
        let store = try open(sharing: engines).store
        for motto in ["a", "b", "c"] { try look(store, at: "\n{\"port\": \"one\", \"motto\": \"\(motto)\"}") }
        #expect(kinds == [.valuesHeldBack])
        do {
            let other = try open(sharing: engines).store
            try look(other, at: #"{"port": "one", "motto": "d"}"#)
        }
        try look(store, at: #"{"port": "one", "motto": "e"}"#)
        #expect(kinds.count == 1, "\(reasons)")
        try look(store, at: #"{"port": "two", "motto": "e"}"#)
        #expect(kinds.count == 2, "\(reasons)")
        // A correction of one of them leaves nothing new.
        try look(store, at: #"{"port": "two", "limits": {"timeout": "5"}}"#)
        try look(store, at: #"{"port": "two"}"#)
        #expect(kinds.count == 3, "\(reasons)")
        for port in ["1", "2"] {
            try look(store, at: "{\"port\": \(port)}")
            try look(store, at: #"{"port": "two"}"#)
        }
        #expect(kinds.count == 5, "\(reasons)")
    }

    @Test func `many problems are named in the order of the keys, up to ten`() throws {
        let keys = (10..<22).map { Defaults.Key<Int>("k\($0)", default: 0) }
        try write("{}")
        let store = try open(keys: keys.reversed()).store
        try look(store, at: "{" + keys.map { "\"\($0.name)\": true" }.joined(separator: ", ") + "}")
        let reason = try #require(reasons.first)
        let named = keys.reversed().map(\.name).filter { reason.contains("\"\($0)\"") }
        #expect(named == keys.reversed().prefix(10).map(\.name) && reason.contains("; and 2 more"), "\(reason)")
        let places = named.compactMap { reason.firstRange(of: "\"\($0)\"")?.lowerBound }
        #expect(places == places.sorted(), "\(reason)")
    }

    @Test(arguments: [false, true])
    func `keys of one entry that exclude each other freeze no value`(areOfTwoStores: Bool) throws {
        let (number, text) = (Defaults.Key<Int>("x", default: 0), Defaults.Key<String>("x", default: "-"))
        try write("{}")
        let engines = OpenEngines()
        let store = try open(keys: areOfTwoStores ? [number] : [number, text], sharing: engines).store
        let other = try open(keys: areOfTwoStores ? [text] : [], sharing: engines).store
        let defaults = Defaults(store)
        func expect(_ value: Int, _ string: String, after contents: String) throws {
            try look(store, at: contents)
            _ = reportedProblems { #expect(defaults[number] == value && defaults[text] == string, "\(contents)") }
        }
        try expect(1, "-", after: #"{"x": 1}"#)
        try expect(2, "-", after: #"{"x": 2}"#)
        #expect(reasons.isEmpty)
        // The key that can use the value before keeps it.
        try expect(2, "-", after: #"{"x": "a"}"#)
        #expect(kinds == [.valuesHeldBack])
        try expect(3, "-", after: #"{"x": 3}"#)
        try expect(0, "-", after: "{}")
        try expect(0, "b", after: #"{"x": "b"}"#)
        try expect(0, "c", after: #"{"x": "c"}"#)
        try expect(0, "c", after: #"{"x": 4}"#)
        try expect(0, "d", after: #"{"x": "d"}"#)
        // A value that no key can use is held back in any case.
        try expect(0, "d", after: #"{"x": true}"#)
        #expect(kinds.count == 3, "\(reasons)")
        withExtendedLifetime(other) {}
    }

    @Test func `a key inside of another one that excludes it freezes no value`() throws {
        let (outer, inner) = (Defaults.Key<Int>("a", default: 0), Defaults.Key<Int>("a.b", default: 0))
        try write("{}")
        let store = try open(keys: [outer, inner]).store
        let steps = [
            (#"{"a": {"b": 1}}"#, 0, 1), (#"{"a": {"b": 2}}"#, 0, 2), ("{}", 0, 0), (#"{"a": 3}"#, 3, 0),
            (#"{"a": 4}"#, 4, 0), (#"{"a": {"b": 5}}"#, 4, 0), (#"{"a": 6}"#, 6, 0),
        ]
        for (contents, first, second) in steps {
            try look(store, at: contents)
            _ = reportedProblems {
                #expect(Defaults(store)[outer] == first && Defaults(store)[inner] == second, "\(contents)")
            }
        }
        #expect(kinds == [.valuesHeldBack])
    }

    /// The key around it can use the other members without it.
    @Test func `a member is held back beside a key that could use it`() throws {
        let around = Defaults.Key<[String: Int]>("tls", default: [:])
        let member = Defaults.Key<Int>("tls.a", default: 1).validated(by: .range(1...100))
        try write("{}")
        let store = try open(keys: [around, member, Defaults.Key<Int>("tls.b", default: 0)]).store
        try look(store, at: #"{"tls": {"b": 9, "a": 999}}"#)
        #expect(Defaults(store)[around] == ["b": 9] && Defaults(store)[member] == 1)
        #expect(kinds == [.valuesHeldBack])
    }

    private struct TLS: Codable, Equatable, Defaults.Serializable {
        var mode = 0
        var cert = ""
    }

    /// Without the member, the key around it has no value.
    @Test func `a member is not held back from a key that needs it`() throws {
        let around = Defaults.Key<TLS>("tls", default: TLS())
        let member = Defaults.Key<Int>("tls.mode", default: 10).validated(by: .range(10...20))
        try write("{}")
        let store = try open(keys: [around, member]).store
        for cert in ["a", "b"] {
            try look(store, at: #"{"tls": {"mode": 5, "cert": "\#(cert)"}}"#)
            _ = reportedProblems {
                #expect(Defaults(store)[around] == TLS(mode: 5, cert: cert) && Defaults(store)[member] == 10)
            }
        }
    }

    @Test func `keys of one variable that exclude each other freeze no value`() throws {
        let (number, pause) = (Defaults.Key<Int>("x", default: 0), Defaults.Key<Duration>("x", default: .zero))
        let path = try folder.write("A=1\n", to: ".env")
        let store = try DotEnvStore(path: path, keys: [number, pause])
        for (text, value, length, isHeld) in [
            ("1", 1, 0, false), ("2", 2, 0, false), ("5s", 2, 0, true), ("3", 3, 0, false),
        ] {
            try folder.overwrite(".env", "X=\(text)\n")
            if isHeld { #expect(throws: StoreError.self) { try store.reload() } } else { try store.reload() }
            _ = reportedProblems {
                #expect(Defaults(store)[number] == value && Defaults(store)[pause] == .seconds(length), "\(text)")
            }
        }
    }

    @Test func `a version that keys exclude is refused as before`() throws {
        try write("{}")
        let keys: [Defaults.AnyKey] = [Defaults.Key<Int>("x", default: 0), Defaults.Key<String>("x", default: "-")]
        let store = try open(FileStoreOptions(unusableValues: .areRefused), keys: keys).store
        try look(store, at: #"{"x": 1}"#)
        #expect(store.value(forKey: "x") == nil && kinds == [.rejected], "\(kinds)")
    }

    @Test func `values that were there when the store opened are not held back by others`() throws {
        try write(#"{"port": "one", "motto": "a"}"#)
        let (store, settings) = try open()
        try look(store, at: #"{"port": "one", "motto": "b"}"#)
        #expect(settings.motto == "b" && reasons.isEmpty)
    }

    @Test func `stores of one file hold back what one of them cannot use, as long as that is open`() throws {
        try write(#"{"port": 1}"#)
        let (engines, queue) = (OpenEngines(), ManualWorkQueue())
        let other = try open(keys: [], sharing: engines, queue: queue).store
        do {
            let (first, second) = (try open(sharing: engines).store, try open(sharing: engines).store)
            try look(first, at: #"{"port": "one"}"#)
            #expect(other.value(forKey: "port") == 1 && second.value(forKey: "port") == 1)
            #expect(reasons.count == 1 && reasons[0].ranges(of: "\"port\"").count == 1, "\(reasons)")
        }
        // The end of the last one that holds it back is an event.
        queue.fire()
        #expect(other.value(forKey: "port") == "one")
        try open(keys: [], sharing: engines).store.look()
        #expect(reasons.count == 1)
    }

    @Test func `stores with different keys hold back the values of all of them`() throws {
        try write(#"{"port": 1, "count": 1, "motto": "a"}"#)
        let engines = OpenEngines()
        let (first, settings) = try open(sharing: engines)
        let second = try open(keys: [Defaults.Key<Int>("count", default: 0)], sharing: engines).store
        try look(first, at: #"{"port": "one", "count": "one", "motto": "b"}"#)
        #expect(second.snapshot() == ["port": 1, "count": 1, "motto": "b"] && settings.motto == "b")
        #expect(reasons.count == 1 && ["\"port\"", "\"count\""].allSatisfy { reasons[0].contains($0) }, "\(reasons)")
    }

    @Test func `a store that refuses such values is not opened beside one that has them`() throws {
        try write(#"{"port": "one"}"#)
        let (engines, options) = (OpenEngines(), FileStoreOptions(unusableValues: .areRefused))
        let other = try open(options, keys: [], sharing: engines).store
        #expect(throws: FileStoreError.self) { try open(options, sharing: engines) }
        #expect(other.value(forKey: "port") == "one")
    }

    /// Another thread writes, or finds another version, while the version with the value is examined.
    @Test(arguments: [nil, #"{"port": 3, "motto": "c"}"#, #"{"port": "two", "motto": "c"}"#])
    func `what happens during the examination counts`(correction: String?) throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        let work = Locked<(@Sendable () -> Void)?>(nil)
        let (store, settings) = try open { _ in
            guard let work = work.withLock({ $0.take() }) else { return }
            TestThread(work).join()
        }
        work.withLock {
            $0 = { [folder, weak store] in
                guard let store else { return }
                guard let correction else { return Defaults(store)[ServerKeys().port] = 7 }
                #expect(throws: Never.self) {
                    try folder.overwrite("settings.json", correction)
                    try store.look()
                }
            }
        }
        try look(store, at: #"{"port": "one", "motto": "c"}"#)
        try store.look()
        #expect(work.withLock { $0 == nil } && settings.motto == "c")
        if correction == nil {
            #expect(settings.port == 7)
            try store.synchronize()
            #expect(try open().settings.port == 7)
        } else {
            #expect(settings.port == (reasons.isEmpty ? 3 : 1) && reasons.isEmpty == correction?.contains("3"))
            #expect(reasons.count <= 1, "\(reasons)")
        }
    }

    @Test func `a batch that replaces a value which the validation rejects fails`() throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        let (store, settings) = try open { if $0["motto"] == "bad" { throw Rejection() } }
        try look(store, at: #"{"port": 2, "motto": "bad"}"#)
        #expect(throws: Defaults.WriteError.self) { try Defaults(store).commit { $0[ServerKeys().port] = 9 } }
        #expect(settings.port == 1)
        // And succeeds for another key, which it rests on no less.
        try Defaults(store).commit { $0[ServerKeys().token] = 9 }
    }

    @Test func `a removal is no value`() throws {
        try write(#"{"port": 1}"#)
        let (store, settings) = try open()
        try look(store, at: #"{"port": "one"}"#)
        try look(store, at: "{}")
        #expect(settings.port == 8080 && store.snapshot() == [:])
        #expect(reasons.count == 1)
    }

    @Test func `the validation sees the values as they will be`() throws {
        try write(#"{"port": 1}"#)
        let seen = Recorder<PropertyListTable>()
        let (store, settings) = try open { contents in
            seen.record(contents)
            if contents["motto"] == "bad" { throw Rejection() }
        }
        try look(store, at: #"{"port": "one", "motto": "b"}"#)
        #expect(seen.last == ["port": 1, "motto": "b"])
        try look(store, at: #"{"port": 3, "motto": "bad"}"#)
        #expect(settings.port == 1 && settings.motto == "b")
        try look(store, at: #"{"port": 3, "motto": "c"}"#)
        #expect(settings.port == 3 && settings.motto == "c")
    }

    @Test func `the options let them take effect, or refuse the version`() throws {
        let (usable, unusable) = (#"{"port": 1, "motto": "a"}"#, #"{"port": "one", "motto": "b"}"#)
        try write(usable)
        do {
            let (store, settings) = try open(FileStoreOptions(unusableValues: .areAdmitted))
            try look(store, at: unusable)
            #expect(settings.port == 8080 && settings.motto == "b" && reasons.isEmpty)
            try write(usable)
        }
        do {
            let (store, settings) = try open(FileStoreOptions(unusableValues: .areRefused))
            try look(store, at: unusable)
            #expect(settings.port == 1 && settings.motto == "a" && kinds == [.rejected])
        }
        let error = #expect(throws: FileStoreError.self) { try open(FileStoreOptions(unusableValues: .areRefused)) }
        #expect(error?.step == .validate && error?.reason.contains("line 1: key \"port\"") == true)
        // Otherwise the store opens, and the key reads its default.
        #expect(try open().settings.port == 8080)
    }

    @Test func `the value of a secret is not named`() throws {
        try write(#"{"token": 1}"#)
        let (store, settings) = try open()
        try look(store, at: #"{"token": "hunter2"}"#)
        #expect(settings.token == 1)
        #expect(reasons.count == 1 && !reasons[0].contains("hunter2"))
    }

    @Test func `a store without keys takes everything`() throws {
        try write(#"{"port": 1}"#)
        let store = try open(keys: []).store
        try look(store, at: #"{"port": "one"}"#)
        #expect(store.value(forKey: "port") == "one")
    }

    @Test func `observers are notified of the admitted values only`() throws {
        try write(#"{"port": 1, "motto": "a"}"#)
        let store = try open().store
        let changed = Recorder<[String]>()
        let observation = store.observe(.all, initial: false) { changed($0.entries.map(\.key)) }
        try look(store, at: #"{"port": "one", "motto": "b"}"#)
        #expect(changed.values == [["motto"]])
        try look(store, at: #"{"port": 4, "motto": "b"}"#)
        #expect(changed.values == [["motto"], ["port"]])
        observation.cancel()
    }
}
