@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// Checks that what a key remembers is never another store's value, another key's, or an old one.
@Suite struct KeyCacheTests {
    /// Reads and writes a key of one type through numbers, so that all kinds of cache run the same tests.
    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let makeReader: @Sendable () -> @Sendable (Defaults) -> Int
        let store: @Sendable (Int) -> PropertyListValue

        init<Value: Defaults.Serializable & Sendable>(
            _ type: Value.Type,
            isStrict: Bool = false,
            default: Value,
            number: @escaping @Sendable (Value) -> Int,
            stored: @escaping @Sendable (Int) -> PropertyListValue
        ) {
            testDescription = isStrict ? "\(type), strictly" : "\(type)"
            store = stored
            makeReader = {
                let key = Defaults.Key<Value>("key", default: `default`)
                guard isStrict else { return { number($0[key]) } }
                // No test expects -2, so an error fails it.
                return { defaults in (try? defaults.value(for: key)).map(number) ?? -2 }
            }
        }
    }

    final class Instance: Defaults.Serializable, Sendable {
        let number: Int
        init(number: Int) { self.number = number }

        struct Bridge: Defaults.Bridge {
            func serialize(_ value: Instance?) -> Int? { value?.number }
            func deserialize(_ object: Int?) -> Instance? { object.map(Instance.init) }
        }

        static let bridge = Bridge()
    }

    private static func user(isStrict: Bool) -> Subject {
        Subject(User.self, isStrict: isStrict, default: User(name: "", age: 0), number: \.age) {
            .string(#"{"age":\#($0),"name":""}"#)
        }
    }

    static let subjects = [
        Subject(Int.self, default: 0, number: { $0 }, stored: { .init($0) }),
        Subject(Int?.self, default: nil, number: { $0 ?? 0 }, stored: { .init($0) }),
        Subject(Range<Int>.self, default: 0..<0, number: \.count, stored: { [.init($0), .init($0 * 2)] }),
        Subject(UInt8.self, default: 0, number: Int.init, stored: { .init($0 % 256) }),
        Subject(String.self, default: "0", number: { Int($0) ?? -1 }, stored: { .init(String($0)) }),
        Subject([Int].self, default: [0], number: { $0.first ?? -1 }, stored: { [.init($0)] }),
        user(isStrict: false), user(isStrict: true),
        Subject(Int.self, isStrict: true, default: 0, number: { $0 }, stored: { .init($0) }),
        Subject([Int].self, isStrict: true, default: [0], number: { $0.first ?? -1 }, stored: { [.init($0)] }),
        Subject(Instance.self, default: Instance(number: 0), number: \.number, stored: { .init($0) }),
    ]

    @Test(arguments: subjects)
    func `one key reads each of two stores`(_ subject: Subject) {
        let read = subject.makeReader()
        let (first, second) = (InMemoryStore(["key": subject.store(1)]), InMemoryStore(["key": subject.store(2)]))
        for _ in 0..<3 {
            #expect(read(Defaults(first)) == 1)
            #expect(read(Defaults(first)) == 1)
            #expect(read(Defaults(second)) == 2)
            #expect(read(Defaults(InMemoryStore())) == 0)
        }
    }

    @Test(arguments: subjects)
    func `a changed value is seen by the next read, by whatever way it changed`(_ subject: Subject) throws {
        let read = subject.makeReader()
        let store = InMemoryStore()
        #expect(read(Defaults(store)) == 0)
        for number in [5, 6, 6, 7] {
            try store.apply(PropertyListBatch(.set(subject.store(number), key: "key")))
            #expect(read(Defaults(store)) == number)
            try store.apply(PropertyListBatch(.set(subject.store(number + 1), key: "another key")))
            #expect(read(Defaults(store)) == number)
        }
        try store.apply(PropertyListBatch(.remove(key: "key")))
        #expect(read(Defaults(store)) == 0)
    }

    @Test(arguments: subjects)
    func `readers on several threads never see a value older than one they saw before`(_ subject: Subject) async throws
    {
        let read = subject.makeReader()
        let store = InMemoryStore(["key": subject.store(0)])
        let other = InMemoryStore(["key": subject.store(100)])
        let isMonotonic = try await withThrowingTaskGroup(of: Bool.self) { group in
            for reader in 0..<3 {
                group.addTask {
                    var last = 0
                    for round in 0..<2_000 {
                        let number = read(Defaults(store))
                        guard number >= last, number <= 99 else { return false }
                        last = number
                        // One of the readers takes the same key to another store in between.
                        if reader == 0, round.isMultiple(of: 7), read(Defaults(other)) != 100 { return false }
                    }
                    return true
                }
            }
            group.addTask {
                for number in 1...99 {
                    try store.apply(PropertyListBatch(.set(subject.store(number), key: "key")))
                    await Task.yield()
                    guard read(Defaults(store)) == number else { return false }
                }
                return true
            }
            return try await group.allSatisfy { $0 }
        }
        #expect(isMonotonic)
    }

    @Test(arguments: [false, true])
    func `a value that did not change is decoded once, whatever else changes in the store`(isStrict: Bool) throws {
        let bridge = CountingBridge()
        let key = Defaults.Key<String>("key", default: "", bridge: bridge)
        let store = InMemoryStore(["key": "value"])
        let decodings = try bridge.decodings {
            for number in 0..<10 {
                if isStrict { #expect(try Defaults(store).value(for: key) == "value") }
                #expect(Defaults(store)[key] == "value")
                try store.apply(PropertyListBatch(.set(.init(number), key: "another key")))
            }
        }
        #expect(decodings == 1)
    }

    @Test func `an instance of a class is made anew for each read, so that readers do not share it`() {
        let key = Defaults.Key<Instance>("key", default: Instance(number: 0))
        let defaults = Defaults(InMemoryStore(["key": 1]))
        #expect(defaults[key] !== defaults[key])
    }
}

/// Checks that a key hands out what it decoded only for a stored value that means the same.
@Suite struct DecodedOriginTests {
    private static let stored: PropertyListValue = ["a": "5"]

    private let limits = Defaults.Key<[String: Int]>("limits", default: ["none": 0])
    private let environment = EnvironmentStore(prefix: "", environment: ["LIMITS__A": "5"])
    private let file = InMemoryStore(name: "file")

    private var layered: Defaults {
        Defaults(LayeredStore([.init("file", file, isWritable: true), .init("environment", environment)]))
    }

    @Test func `a dictionary of text is another one than the same dictionary in a file`() throws {
        let defaults = layered
        #expect(environment.value(forKey: "limits") == Self.stored)
        #expect(defaults[limits] == ["a": 5])
        #expect(try defaults.value(for: limits) == ["a": 5])
        file.set(Self.stored, forKey: "limits")
        _ = reportedProblems { #expect(defaults[limits] == [:]) }
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: limits) }
        file.removeObject(forKey: "limits")
        #expect(try defaults.value(for: limits) == ["a": 5])
        #expect(defaults[limits] == ["a": 5])
    }

    @Test func `a value that was readable as text elsewhere is kept where it is not`() throws {
        #expect(Defaults(environment)[limits] == ["a": 5])
        file.set(Self.stored, forKey: "limits")
        let defaults = Defaults(file)
        defaults[limits] = ["b": 1]
        #expect(defaults.keptValues(for: limits).map(\.value) == [Self.stored])
    }
}
