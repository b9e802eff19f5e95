// A test file written for Defaults 9. For Keyspan one line was changed: the second import.
import Foundation
import Keyspan
import KeyspanTestSupport
import Testing

@Suite(.bounded, .serialized) final class KeyModuleTests {
    init() {
        Defaults.removeAll(suite: trailSuite)
    }

    @Test func `each key has its default, takes a value, and has its default again after a reset`() {
        #expect(Defaults[.hasSeenTour] == false)
        Defaults[.hasSeenTour].toggle()
        Defaults[.launches] += 2
        Defaults[.compassOffset] = .min
        Defaults[.deviceSerial] -= 1
        Defaults[.mapScale] *= 2
        Defaults[.hikerName].append(" yet")
        Defaults[.avatar] = Data([0xCA, 0xFE])
        Defaults[.tileServer] = URL(string: "https://example.org/a?b=c")!
        #expect(Defaults[.hasSeenTour])
        #expect(Defaults[.launches] == 2)
        #expect(Defaults[.compassOffset] == -128)
        #expect(Defaults[.deviceSerial] == UInt64.max - 1)
        #expect(Defaults[.mapScale] == 3)
        #expect(Defaults[.hikerName] == "Nobody yet")
        #expect(Defaults[.avatar] == Data([0xCA, 0xFE]))
        #expect(Defaults[.tileServer].host == "example.org")
        Defaults.reset(.hasSeenTour, .launches, .mapScale)
        Defaults.reset([.hikerName, .avatar])
        Defaults.reset("compassOffset", suite: trailSuite)
        Defaults.reset([Defaults.Keys.tileServer.name], suite: trailSuite)
        Defaults.Keys.deviceSerial.reset()
        #expect(trailSuite.snapshot().isEmpty)
        #expect(Defaults[.deviceSerial] == .max)
    }

    @Test func `optional values come and go`() {
        #expect(Defaults[.deviceID] == nil)
        let id = UUID()
        Defaults[.deviceID] = id
        Defaults[.emergencyNumber] = "112"
        #expect(Defaults[.deviceID] == id)
        #expect(Defaults[.emergencyNumber] == "112")
        Defaults[.emergencyNumber] = nil
        #expect(Defaults[.emergencyNumber] == nil)
        #expect(Defaults[.emergencyNumber]._defaults_isNil)
        #expect(Defaults[.weightLimit] == 18.5)
        Defaults[.weightLimit] = nil
        #expect(Defaults[.weightLimit] == 18.5)
    }

    @Test func `defaults are made when they are read`() {
        #expect(Defaults[.sessionStart] == Date(timeIntervalSince1970: 100))
        #expect(Defaults[.guessedRegion] == .alps)
        Defaults[.guessedRegion] = .highlands
        #expect(Defaults[.guessedRegion] == .highlands)
    }

    @Test func `enumerations, option sets and Codable types`() {
        Defaults[.difficulty] = .hard
        Defaults[.region] = .highlands
        Defaults[.units] = .imperial
        Defaults[.alerts].insert(.avalanche)
        Defaults[.shelter] = Shelter(name: "Hut", beds: 4)
        Defaults[.shelter]?.beds += 1
        Defaults[.pack].items["rope"] = 2
        #expect(Defaults[.difficulty] == .hard)
        #expect(Defaults[.region] == .highlands)
        #expect(Defaults[.units] == .imperial)
        #expect(Defaults[.alerts] == [.storm, .avalanche, .nightfall])
        #expect(Defaults[.shelter] == Shelter(name: "Hut", beds: 5))
        #expect(Defaults[.pack].items == ["rope": 2])
    }

    @Test func `custom bridges, also inside of collections and over one another`() {
        Defaults[.summit] = Coordinate(latitude: 45.8, longitude: 6.9)
        Defaults[.checkpoints].append(Coordinate(latitude: 1, longitude: 2))
        Defaults[.stage] = Stage(from: Shelter(name: "A", beds: 1), to: Shelter(name: "B", beds: 2))
        #expect(Defaults[.summit].latitude == 45.8)
        #expect(Defaults[.checkpoints] == [Coordinate(latitude: 1, longitude: 2)])
        #expect(Defaults[.stage]?.to.name == "B")
    }

    @Test func `collections of all kinds`() {
        Defaults[.recentSearches].insert("peak", at: 0)
        Defaults[.shelters].append(Shelter(name: "Hut", beds: 4))
        Defaults[.splits][1].append(4)
        Defaults[.favouriteRegions].insert(.highlands)
        Defaults[.badges].formUnion([1, 2])
        Defaults[.notes]["lake"] = "cold"
        Defaults[.heights][7] = 3_798.5
        Defaults[.sheltersByRegion]["alps", default: []].append(Shelter(name: "Hut", beds: 4))
        Defaults[.packingOptions] = [Pack(label: "night", items: ["lamp": 1])]
        Defaults[.waypoints].append(Coordinate(latitude: 3, longitude: 4))
        Defaults[.gear].insert("axe")
        #expect(Defaults[.recentSearches] == ["peak", "lake"])
        #expect(Defaults[.shelters].first?.beds == 4)
        #expect(Defaults[.splits] == [[1], [2, 3, 4]])
        #expect(Defaults[.favouriteRegions] == [.alps, .highlands])
        #expect(Defaults[.badges] == [1, 2])
        #expect(Defaults[.notes] == ["lake": "cold"])
        #expect(Defaults[.heights] == [7: 3_798.5])
        #expect(Defaults[.sheltersByRegion]["alps"]?.count == 1)
        #expect(Defaults[.packingOptions]?[0].label == "night")
        #expect(Defaults[.waypoints].map(\.latitude) == [3])
        #expect(Defaults[.gear] == GearSet(["axe", "rope"]))
    }

    @Test func ranges() {
        Defaults[.quietHours] = 21...24
        Defaults[.season] = Date(timeIntervalSince1970: 1)..<Date(timeIntervalSince1970: 2)
        Defaults[.altitudes] = [0.5...1.5]
        #expect(Defaults[.quietHours].contains(21))
        #expect(Defaults[.season]?.upperBound == Date(timeIntervalSince1970: 2))
        #expect(Defaults[.altitudes] == [0.5...1.5])
    }

    @Test func `values of any type`() {
        #expect(Defaults[.experiment] == 42)
        Defaults[.experiment] = "text"
        #expect(Defaults[.experiment] == "text")
        Defaults[.experiment].set(Units.imperial)
        if let units: Units = Defaults[.experiment].get() {
            #expect(units == .imperial)
        } else {
            Issue.record("no units")
        }
        Defaults[.experiment] = nil
        #expect(Defaults[.experiment] == 42)

        Defaults[.overrides]["retries"] = 3
        Defaults[.overrides]["ratio"] = 0.5
        Defaults[.overrides]["region"] = Defaults.AnySerializable(Region.alps)
        Defaults[.overrides]["list"] = [1, "two", Units.metric]
        Defaults[.overrides]["limits"] = ["low": 1, "high": 2]
        #expect(Defaults[.overrides]["retries"] == 3)
        #expect(Defaults[.overrides]["ratio"]?.get() == 0.5)
        #expect(Defaults[.overrides]["region"]?.get(Region.self) == .alps)
        #expect(Defaults[.overrides]["list"]?.get([Defaults.AnySerializable].self) == [1, "two", "metric"])
        #expect(Defaults[.overrides]["limits"]?.get() == ["low": 1, "high": 2])
        Defaults[.overrides]["region"]?.set(Region.highlands)
        #expect(Defaults[.overrides]["region"]?.get(Region.self) == .highlands)
        Defaults[.overrides]["ratio"] = nil
        #expect(Defaults[.overrides].count == 4)

        Defaults[.history].append(true)
        #expect(Defaults[.history] == ["start", 1, true])
    }

    @Test func `observers hear the values before and after`() {
        var heard: [String] = []
        let observation = Defaults.observe(.hikerName) { change in
            heard.append("\(change.oldValue) -> \(change.newValue)")
        }
        Defaults[.hikerName] = "Ann"
        Defaults.withoutPropagation {
            Defaults[.hikerName] = "Ben"
        }
        Defaults.reset(.hikerName)
        observation.invalidate()
        Defaults[.hikerName] = "Cid"
        #expect(heard == ["Nobody -> Nobody", "Nobody -> Ann", "Ben -> Nobody"])
    }

    @Test func `observers of several keys`() {
        var count = 0
        let observation = Defaults.observe(keys: .launches, .stepGoal, options: []) {
            count += 1
        }
        Defaults[.launches] += 1
        Defaults[.stepGoal] += 1
        Defaults[.badges] = [9]
        #expect(count == 2)
        _ = observation
    }

    @Test func `an observer ends with the object that it is tied to`() {
        final class Screen {
            var names: [String] = []

            init() {
                Defaults.observe(.hikerName, options: []) { [unowned self] change in
                    names.append(change.newValue)
                }.tieToLifetime(of: self)
            }
        }

        var screen: Screen? = Screen()
        Defaults[.hikerName] = "Ann"
        #expect(screen?.names == ["Ann"])
        weak let gone = screen
        screen = nil
        Defaults[.hikerName] = "Ben"
        #expect(gone == nil)
    }

    @Test func `updates come in order`() async {
        let updates = Defaults.updates(.launches)
        Defaults[.launches] = 1
        Defaults[.launches] = 2
        #expect(await updates.prefix(3).reduce(into: []) { $0.append($1) } == [0, 1, 2])
        for await (launches, name) in Defaults.updates(.launches, .hikerName) {
            #expect(launches == 2)
            #expect(name == "Nobody")
            break
        }
        for await _ in Defaults.updates([.launches, .units]) {
            break
        }
    }

    @Test func `keys know their names, their defaults and whether they have them`() {
        #expect(Defaults.Keys.launches.name == "launches")
        #expect(Defaults.Keys.launches.defaultValue == 0)
        #expect(Defaults.Keys.launches.isDefaultValue)
        Defaults[.launches] = 1
        #expect(!Defaults.Keys.launches.isDefaultValue)
        #expect(Set<Defaults._AnyKey>([.launches, .stepGoal, .launches]).count == 2)
        #expect([Int].isNativelySupportedType)
        #expect(![URL].isNativelySupportedType)
    }

    @Test func `a suite takes keys itself`() {
        trailSuite[.launches] = 5
        #expect(trailSuite[.launches] == 5)
        #expect(Defaults[.launches] == 5)
        trailSuite.removeAll()
        #expect(Defaults[.launches] == 0)
    }
}
