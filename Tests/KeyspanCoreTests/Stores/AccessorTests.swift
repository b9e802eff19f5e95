import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The accessors in the manner of `UserDefaults`, which all stores have.
@Suite struct AccessorTests {
    /// The stores that can be written.
    enum WritableStore: CaseIterable {
        case inMemory
        case scripted
        case layered

        func make(_ values: PropertyListTable = [:]) -> any PropertyListStore {
            switch self {
            case .inMemory: InMemoryStore(values)
            case .scripted: ScriptedStore(values)
            case .layered: LayeredStore(registeringBelow: InMemoryStore(values))
            }
        }
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 1.5)

    @Test(arguments: WritableStore.allCases)
    func `a literal is stored as the kind that it looks like`(_ kind: WritableStore) {
        let store = kind.make()
        store.set(true, forKey: "boolean")
        store.set(1, forKey: "integer")
        store.set(1.0, forKey: "real")
        store.set("a", forKey: "string")
        store.set(["a", "b"], forKey: "array")
        store.set(["a": 1], forKey: "dictionary")
        store.set([1, "a", [true]], forKey: "mixed array")
        store.set(["a": 1, "b": "x"], forKey: "mixed dictionary")
        #expect(
            store.dictionaryRepresentation() == [
                "boolean": true, "integer": 1, "real": 1.0, "string": "a", "array": ["a", "b"], "dictionary": ["a": 1],
                "mixed array": [1, "a", [true]], "mixed dictionary": ["a": 1, "b": "x"],
            ]
        )
    }

    @Test(arguments: WritableStore.allCases)
    func `a value of each type is stored and read`(_ kind: WritableStore) {
        let store = kind.make()
        let url = URL(string: "https://example.com/a")
        store.set(Float(0.5), forKey: "float")
        store.set(UInt64.max, forKey: "large")
        store.set(Self.date, forKey: "date")
        store.set(Data([1, 2]), forKey: "data")
        store.set(url, forKey: "url")
        store.set(["a": [Self.date]], forKey: "dates")
        store.set(PropertyListValue.real(2), forKey: "value")
        store.set(Optional(7), forKey: "optional")
        #expect(store.float(forKey: "float") == 0.5)
        #expect(store.object(forKey: "large") == .init(UInt64.max))
        #expect(store.object(forKey: "date") == .date(Self.date))
        #expect(store.data(forKey: "data") == Data([1, 2]))
        #expect(store.string(forKey: "url") == #""https:\/\/example.com\/a""#)
        #expect(store.url(forKey: "url") == url)
        #expect(store.dictionary(forKey: "dates") == ["a": [.date(Self.date)]])
        #expect(store.object(forKey: "value") == 2.0)
        #expect(store.integer(forKey: "optional") == 7)
    }

    @Test(arguments: WritableStore.allCases)
    func `nil removes`(_ kind: WritableStore) {
        let store = kind.make(["a": 1, "b": 1, "c": 1, "d": 1, "e": 1])
        let noURL: URL? = nil
        let noNumber: Int? = nil
        let noValue: PropertyListValue? = nil
        store.set(nil, forKey: "a")
        store.set(noURL, forKey: "b")
        store.set(noNumber, forKey: "c")
        store.set(noValue, forKey: "d")
        store.removeObject(forKey: "e")
        store.removeObject(forKey: "never there")
        #expect(store.dictionaryRepresentation() == [:])
    }

    /// The answers of `UserDefaults` for a key without a value, or without a value that converts.
    @Test(arguments: WritableStore.allCases)
    func `what is not there is zero, false or nil`(_ kind: WritableStore) {
        let store = kind.make(["a": .date(Self.date)])
        for key in ["a", "absent"] {
            #expect(store.string(forKey: key) == nil && store.array(forKey: key) == nil)
            #expect(store.dictionary(forKey: key) == nil && store.stringArray(forKey: key) == nil)
            #expect(store.data(forKey: key) == nil && store.url(forKey: key) == nil)
            #expect(!store.bool(forKey: key) && store.integer(forKey: key) == 0)
            #expect(store.float(forKey: key) == 0 && store.double(forKey: key) == 0)
        }
        #expect(store.object(forKey: "absent") == nil)
    }

    @Test(arguments: WritableStore.allCases)
    func `values of other kinds are converted`(_ kind: WritableStore) {
        let store = kind.make([
            "text": "12", "word": "YES", "real": 2.75, "path": "/tmp/a", "strings": ["a", "b"], "mixed": ["a", 1],
            "number": 42, "truth": true,
        ])
        #expect(store.integer(forKey: "text") == 12 && store.double(forKey: "text") == 12)
        #expect(store.bool(forKey: "word") && store.bool(forKey: "number") && !store.bool(forKey: "text"))
        #expect(store.integer(forKey: "real") == 2 && store.string(forKey: "real") == "2.75")
        #expect(store.url(forKey: "path") == URL(filePath: "/tmp/a"))
        #expect(store.stringArray(forKey: "strings") == ["a", "b"])
        #expect(store.stringArray(forKey: "mixed") == nil && store.array(forKey: "mixed") == ["a", 1])
        #expect(store.string(forKey: "number") == "42" && store.float(forKey: "truth") == 1)
    }

    @Test func `launch arguments are read as what they stand for`() {
        let arguments = LaunchArguments(["-port", "8080", "-ratio", "0.5", "-verbose", "YES", "-name", "a"])
        let stores: [any PropertyListStore] = [
            LaunchArgumentsStore(arguments),
            LayeredStore([
                .init("arguments", LaunchArgumentsStore(arguments)),
                .init("memory", InMemoryStore(["port": 1, "verbose": false]), isWritable: true),
            ]),
        ]
        for store in stores {
            #expect(store.integer(forKey: "port") == 8080 && store.string(forKey: "port") == "8080")
            #expect(store.double(forKey: "ratio") == 0.5 && store.float(forKey: "ratio") == 0.5)
            #expect(store.bool(forKey: "verbose") && store.string(forKey: "name") == "a")
        }
    }

    @Test func `a write that the store refuses is reported`() {
        let store = ScriptedStore(["a": 1])
        store.failWrites(with: StoreError(.tooLarge, store: store.name, key: "a", reason: "full", remedy: "wait"))
        let problems = reportedProblems {
            store.set(2, forKey: "a")
            store.set(nil, forKey: "a")
            store.removeObject(forKey: "a")
        }
        #expect(problems == Array(repeating: #"key "a" of scripted store: full; wait."#, count: 3))
        #expect(store.integer(forKey: "a") == 1)
    }

    @Test func `a value without a stored form is reported`() {
        let store = InMemoryStore(["a": [1]])
        let problems = reportedProblems { store.set([1, nil] as [Int?], forKey: "a") }
        #expect(
            problems.count == 1 && problems.first?.contains(#"key "a"[1] of in-memory store"#) == true,
            "\(problems)"
        )
        #expect(store.array(forKey: "a") == [1])
    }

    @Test func `registered defaults are read where nothing is stored`() {
        let store = LayeredStore(registeringBelow: InMemoryStore(["a": 1]))
        store.register(defaults: ["a": 2, "b": "x"])
        #expect(store.integer(forKey: "a") == 1 && store.string(forKey: "b") == "x")
        let withoutPlace = LayeredStore([.init("memory", InMemoryStore(), isWritable: true)])
        let problems = reportedProblems { withoutPlace.register(defaults: ["a": 1]) }
        #expect(problems.count == 1)
    }
}
