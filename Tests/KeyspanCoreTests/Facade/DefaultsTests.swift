@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

extension Defaults.Keys {
    fileprivate static let count = Key<Int>("count", default: 7)
    fileprivate static let nickname = Key<String?>("nickname")
    fileprivate static let words = Key<[String]>("words", default: ["default"])
}

extension Defaults.Key<Bool> {
    fileprivate static let isDeclaredOnTheKeyType = Defaults.Key<Bool>("isDeclaredOnTheKeyType", default: true)
}

@Suite struct DefaultsTests {
    let store = InMemoryStore()
    var defaults: Defaults { Defaults(store) }

    @Test func `an absent value reads as the default and stays absent`() {
        #expect(defaults[.count] == 7)
        #expect(defaults[.nickname] == nil)
        #expect(defaults[.isDeclaredOnTheKeyType])
        #expect(!defaults.hasValue(for: .count))
        #expect(store.snapshot().isEmpty)
    }

    @Test func `values are changed in place`() {
        defaults[.count] += 1
        defaults[.count] *= 2
        defaults[.words].append("more")
        #expect(store.snapshot() == ["count": 16, "words": ["default", "more"]])
        #expect(defaults[.count] == 16)
    }

    @Test func `nil removes an optional value`() {
        defaults[.nickname] = "Ann"
        #expect(defaults.hasValue(for: .nickname))
        defaults[.nickname] = nil
        #expect(!defaults.hasValue(for: .nickname))
    }

    private enum RetryLimit: Codable, Equatable, Defaults.Serializable {
        case unlimited
        case times(Int)
    }

    @Test func `after nil a key has its default again, and a case of its own is stored in place of it`() {
        let limit = Defaults.Key<Int?>("limit", default: 3)
        defaults[limit] = 5
        defaults[limit] = nil
        #expect(defaults[limit] == 3)
        #expect(!defaults.hasValue(for: limit))
        let choice = Defaults.Key<RetryLimit>("choice", default: .times(3))
        defaults[choice] = .unlimited
        #expect(defaults[choice] == .unlimited)
        #expect(defaults.hasValue(for: choice))
    }

    @Test func `reset returns to the defaults in one batch`() {
        defaults[.count] = 1
        defaults[.words] = []
        defaults[.nickname] = "Ann"
        let changes = recordedChanges(of: store) { defaults.reset(.count, .words) }
        #expect(changes == [["count", "words"]])
        #expect(store.snapshot() == ["nickname": "Ann"])
        defaults.reset(["nickname", "absent"])
        #expect(store.snapshot().isEmpty)
    }

    @Test func `a value is the default by its value, stored or not`() {
        #expect(defaults.isDefaultValue(.count))
        defaults[.count] = 7
        #expect(defaults.isDefaultValue(.count))
        defaults[.count] = 8
        #expect(!defaults.isDefaultValue(.count))
    }

    @Test func `a dynamic default is made anew for each read`() {
        let made = Recorder<Bool>()
        @Sendable func make() -> Int {
            made(true)
            return made.count
        }
        let number = Defaults.Key<Int>("dynamic number") { make() }
        let text = Defaults.Key<String>("dynamic text") { "\(make())" }
        #expect([defaults[number], defaults[number]] == [1, 2])
        #expect([defaults[text], defaults[text]] == ["3", "4"])
        defaults[number] = 9
        #expect([defaults[number], defaults[number]] == [9, 9])
        defaults.reset(number)
        #expect(defaults[number] == 5)
    }

    @Test func `absent, of another type and unreadable are three answers`() throws {
        let small = Defaults.Key<UInt8>("small", default: 1)
        #expect(try defaults.storedValue(for: small) == nil)
        #expect(try defaults.value(for: small) == 1)
        try store.apply(PropertyListBatch(.set("text", key: "small")))
        let mismatch = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: small) }
        #expect(mismatch?.cause.cause == .typeMismatch(expected: .integer, found: .string))
        try store.apply(PropertyListBatch(.set(256, key: "small")))
        let unreadable = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: small) }
        #expect(unreadable?.cause.cause == .unreadable(found: .integer, reason: "it is not between 0 and 255"))
        #expect(defaults.hasValue(for: small))
    }

    @Test func `a store's refusal is thrown by the strict write and reported by the plain one`() throws {
        let scripted = ScriptedStore(["count": 1])
        scripted.failWrites(with: .sealed)
        let error = #expect(throws: Defaults.WriteError.self) { try Defaults(scripted).set(2, for: .count) }
        #expect(error?.description == "key \"count\" of vault: it is sealed; break the seal.")
        let problems = reportedProblems {
            Defaults(scripted)[.count] = 2
            Defaults(scripted).reset(.count)
        }
        #expect(problems == Array(repeating: "key \"count\" of vault: it is sealed; break the seal.", count: 2))
        #expect(scripted.value(forKey: "count") == 1)
    }

    @Test func `keys are equal by name and store`() {
        let first = Defaults.Key<Int>("a", default: 1)
        #expect(first == Defaults.Key<Int>("a", default: 2))
        #expect(first != Defaults.Key<Int>("b", default: 1))
        #expect(first != Defaults.Key<Int>("a", default: 1, suite: store))
        #expect(Set<Defaults.AnyKey>([first, Defaults.Key<Int>("a", default: 2)]).count == 1)
    }
}
