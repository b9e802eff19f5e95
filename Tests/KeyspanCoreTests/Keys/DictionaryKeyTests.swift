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
}
