import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

/// Keys of dictionaries by enumerations and UUIDs.
@Suite struct DictionaryKeyTests {
    private enum Channel: String {
        case music, speech
    }

    private enum Level: Int, Codable, Defaults.Serializable {
        case low = 1
        case high = 9
    }

    private enum Step: Int, CaseIterable {
        case first = 1
        case last = 9
    }

    private static let id = UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

    private let store = InMemoryStore(name: "the store")
    private var defaults: Defaults { Defaults(store) }

    @Test func `a dictionary by cases is stored by their raw values`() {
        let volumes = Defaults.Key<[Channel: Double]>("volumes", default: [.music: 1])
        #expect(defaults[volumes] == [.music: 1])
        defaults[volumes][.speech] = 0.5
        #expect(store.value(forKey: "volumes") == ["music": "1", "speech": "0.5"])
        #expect(defaults[volumes] == [.music: 1, .speech: 0.5])
        let names = Defaults.Key<[Level: Level]>("levels") { [:] }
        defaults[names] = [.high: .low]
        #expect(store.value(forKey: "levels") == ["9": "1"])
        #expect(defaults[names] == [.high: .low])
    }

    @Test func `a dictionary by UUIDs is stored by their texts`() {
        let sizes = Defaults.Key<[UUID: [Int]]>("sizes", default: [:])
        defaults[sizes][Self.id] = [1, 2]
        #expect(store.value(forKey: "sizes") == ["AB010203-0405-0607-0809-0A0B0C0D0E0F": ["1", "2"]])
        #expect(Defaults(InMemoryStore(store.snapshot()))[sizes] == [Self.id: [1, 2]])
        let dates = Defaults.Key<[UUID: String]>("names") { [Self.id: "none"] }
        #expect(defaults[dates] == [Self.id: "none"])
    }

    @Test func `an optional one comes and goes`() {
        let volumes = Defaults.Key<[Channel: Double]?>("volumes")
        let sizes = Defaults.Key<[UUID: Int]?>("sizes")
        #expect(defaults[volumes] == nil && defaults[sizes] == nil)
        defaults[volumes] = [.music: 2]
        defaults[sizes] = [Self.id: 3]
        #expect(defaults[volumes] == [.music: 2] && defaults[sizes] == [Self.id: 3])
        defaults[volumes] = nil
        defaults[sizes] = nil
        #expect(store.snapshot().isEmpty)
    }

    @Test func `an infinite number and no number are stored as they are`() throws {
        let volumes = Defaults.Key<[Channel: Double]>("volumes", default: [:])
        let sizes = Defaults.Key<[UUID: Float?]?>("sizes")
        try defaults.set([.music: .infinity, .speech: 0.5], for: volumes)
        try defaults.set([Self.id: .nan], for: sizes)
        #expect(store.value(forKey: "volumes") == ["music": .real(.infinity), "speech": "0.5"])
        #expect(store.value(forKey: "sizes") == [Self.id.uuidString: .real(.nan)])
        let defaults = Defaults(InMemoryStore(store.snapshot()))
        #expect(defaults[volumes] == [.music: .infinity, .speech: 0.5])
        #expect(defaults[sizes]?[Self.id]??.isNaN == true)
    }

    @Test func `the name of a case is read, and the name that the key writes counts`() throws {
        let steps = Defaults.Key<[Step: Int]>("steps", default: [:])
        store.set(["first": 1], forKey: "steps")
        #expect(try defaults.value(for: steps) == [.first: 1])
        store.set(["01": 1, "1": 2, "first": 3], forKey: "steps")
        let problems = reportedProblems { #expect(defaults[steps] == [.first: 2]) }
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { $0.contains(#"and "1" make equal keys"#) }, "\(problems)")
        store.set(["middle": 1], forKey: "steps")
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: steps) }
        #expect(error?.description.contains("its name is not one of first, last") == true)

        let sizes = Defaults.Key<[UUID: Int]>("sizes", default: [:])
        let (upper, lower) = (Self.id.uuidString, Self.id.uuidString.lowercased())
        store.set(.dictionary([lower: 1, upper: 2]), forKey: "sizes")
        let reports = reportedProblems { #expect(defaults[sizes] == [Self.id: 2]) }
        #expect(reports.count == 1)
    }

    @Test func `JSON text in data is read as in other dictionaries`() throws {
        func set(_ json: String) { store.set(Data(json.utf8), forKey: "key") }
        let volumes = Defaults.Key<[Channel: Double]>("key", default: [:])
        let levels = Defaults.Key<[Level: Date]?>("key")
        let sizes = Defaults.Key<[UUID: [Int]]?>("key")
        set(#"{"music": 0.5, "speech": 1}"#)
        #expect(try defaults.value(for: volumes) == [.music: 0.5, .speech: 1])
        set(#"{"9": 60}"#)
        #expect(try defaults.value(for: levels) == [.high: Date(timeIntervalSinceReferenceDate: 60)])
        set("{\"\(Self.id)\": [1, 2]}")
        #expect(try defaults.value(for: sizes) == [Self.id: [1, 2]])
        // What `JSONEncoder` makes of such dictionaries.
        set("[9, 60]")
        #expect(try defaults.value(for: levels) == [.high: Date(timeIntervalSinceReferenceDate: 60)])
        set("[\"\(Self.id)\", [1, 2]]")
        #expect(try defaults.value(for: sizes) == [Self.id: [1, 2]])
        set("{\"\(Self.id)\": [1], \"\(Self.id.uuidString.lowercased())\": [2]}")
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: sizes) }
        #expect(error?.description.contains("make equal keys") == true)
        set(#"{"noise": 0.5}"#)
        let unknown = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: volumes) }
        #expect(unknown?.cause.description.contains("its name is not of the type Channel (at .noise)") == true)
    }

    @Test func `what a person wrote is read, and an entry with another name is left out and reported`() throws {
        store.set(["music": 2, "noise": 3], forKey: "volumes")
        let volumes = Defaults.Key<[Channel: Double]>("volumes", default: [:])
        let reports = reportedProblems {
            #expect(defaults[volumes] == [.music: 2])
        }
        #expect(reports.count == 1)
        #expect(reports.first?.contains("noise") == true)
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: volumes) }
    }

    private enum Mark: Character { case plus = "+" }

    @Test(arguments: ["", "ab", "+ "]) func `a name that is not one character makes no key`(name: String) throws {
        let store = InMemoryStore(["key": .dictionary([name: 1, "+": 2])])
        #expect(Defaults(store)[Defaults.Key<[Character: Int]>("key", default: [:])] == ["+": 2])
        #expect(Defaults(store)[Defaults.Key<[Mark: Int]>("key", default: [:])] == [.plus: 2])
        #expect(throws: Defaults.ReadError.self) {
            try Defaults(store).storedValue(for: Defaults.Key<[Character: Int]>("key", default: [:]))
        }
    }

    @Test(
        arguments: [("1.0", 1), ("1e2", 100), ("-0.0", 0), ("0", 0), ("1e-400", nil), ("1.5", nil)] as [(String, Int?)]
    )
    func `a whole number is read as JSON text has it`(text: String, number: Int?) {
        let defaults = Defaults(InMemoryStore(["key": ["7": .string(text)], "lists": ["7": [.string(text)]]]))
        #expect(
            (try? defaults.storedValue(for: Defaults.Key<[Int: Int]>("key", default: [:]))) == number.map { [7: $0] }
        )
        let lists = Defaults.Key<[Int: [Int]]>("lists", default: [:])
        #expect((try? defaults.storedValue(for: lists)) == number.map { [7: [$0]] })
    }
}
