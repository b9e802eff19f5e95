// The keys of an app for hikers, written for Defaults 9. For Keyspan one line was changed: the second import.
import Foundation
import Keyspan

extension Defaults.Keys {
    // Native types.
    static let hasSeenTour = Key<Bool>("hasSeenTour", default: false, suite: trailSuite)
    static let launches = Key<Int>("launches", default: 0, suite: trailSuite)
    static let compassOffset = Key<Int8>("compassOffset", default: -3, suite: trailSuite)
    static let restMinutes = Key<Int16>("restMinutes", default: 15, suite: trailSuite)
    static let stepGoal = Key<Int32>("stepGoal", default: 10_000, suite: trailSuite)
    static let lifetimeSteps = Key<Int64>("lifetimeSteps", default: 0, suite: trailSuite)
    static let visits = Key<UInt>("visits", default: 0, suite: trailSuite)
    static let brightness = Key<UInt8>("brightness", default: 128, suite: trailSuite)
    static let beaconPort = Key<UInt16>("beaconPort", default: 4_711, suite: trailSuite)
    static let routeColor = Key<UInt32>("routeColor", default: 0xFF8800FF, suite: trailSuite)
    static let deviceSerial = Key<UInt64>("deviceSerial", default: .max, suite: trailSuite)
    static let mapScale = Key<Double>("mapScale", default: 1.5, suite: trailSuite)
    static let speechRate = Key<Float>("speechRate", default: 0.5, suite: trailSuite)
    static let hikerName = Key<String>("hikerName", default: "Nobody", suite: trailSuite)
    static let lastHike = Key<Date>("lastHike", default: Date(timeIntervalSince1970: 0), suite: trailSuite)
    static let avatar = Key<Data>("avatar", default: Data(), suite: trailSuite)

    // Other types of Foundation.
    static let tileServer = Key<URL>("tileServer", default: exampleTiles, suite: trailSuite)
    static let deviceID = Key<UUID?>("deviceID", suite: trailSuite)

    // Optional values, and defaults that are made when they are read.
    static let emergencyNumber = Key<String?>("emergencyNumber", suite: trailSuite)
    static let weightLimit = Key<Double?>("weightLimit", default: 18.5, suite: trailSuite)
    static let sessionStart = Key<Date>("sessionStart", suite: trailSuite) { Date(timeIntervalSince1970: 100) }
    static let guessedRegion = Key<Region?>("guessedRegion", suite: trailSuite) { .alps }

    // Enumerations, option sets and types that are Codable.
    static let difficulty = Key<Difficulty>("difficulty", default: .easy, suite: trailSuite)
    static let region = Key<Region>("region", default: .alps, suite: trailSuite)
    static let units = Key<Units>("units", default: .metric, suite: trailSuite)
    static let alerts = Key<Alerts>("alerts", default: [.storm, .nightfall], suite: trailSuite)
    static let shelter = Key<Shelter?>("shelter", suite: trailSuite)
    static let pack = Key<Pack>("pack", default: Pack(label: "day", items: [:]), suite: trailSuite)

    // Bridges of the app's own.
    static let summit = Key<Coordinate>("summit", default: Coordinate(latitude: 0, longitude: 0), suite: trailSuite)
    static let checkpoints = Key<[Coordinate]>("checkpoints", default: [], suite: trailSuite)
    static let stage = Key<Stage?>("stage", suite: trailSuite)

    // Collections.
    static let recentSearches = Key<[String]>("recentSearches", default: ["lake"], suite: trailSuite)
    static let shelters = Key<[Shelter]>("shelters", default: [], suite: trailSuite)
    static let splits = Key<[[Int]]>("splits", default: [[1], [2, 3]], suite: trailSuite)
    static let favouriteRegions = Key<Set<Region>>("favouriteRegions", default: [.alps], suite: trailSuite)
    static let badges = Key<Set<Int>>("badges", default: [], suite: trailSuite)
    static let notes = Key<[String: String]>("notes", default: [:], suite: trailSuite)
    static let heights = Key<[Int: Double]>("heights", default: [:], suite: trailSuite)
    static let sheltersByRegion = Key<[String: [Shelter]]>("sheltersByRegion", default: [:], suite: trailSuite)
    static let packingOptions = Key<[Pack]?>("packingOptions", suite: trailSuite)
    static let waypoints = Key<Waypoints<Coordinate>>("waypoints", default: Waypoints([]), suite: trailSuite)
    static let gear = Key<GearSet<String>>("gear", default: GearSet(["rope"]), suite: trailSuite)

    // Ranges.
    static let quietHours = Key<ClosedRange<Int>>("quietHours", default: 22...23, suite: trailSuite)
    static let season = Key<Range<Date>?>("season", suite: trailSuite)
    static let altitudes = Key<[ClosedRange<Double>]>("altitudes", default: [], suite: trailSuite)

    // Values of any type.
    static let experiment = Key<Defaults.AnySerializable>("experiment", default: 42, suite: trailSuite)
    static let overrides = Key<[String: Defaults.AnySerializable]>("overrides", default: [:], suite: trailSuite)
    static let history = Key<[Defaults.AnySerializable]>("history", default: ["start", 1], suite: trailSuite)
    static let syncedName = Key<String?>("syncedName", suite: trailSuite, iCloud: true)
}

private let exampleTiles = URL(filePath: "/tiles", directoryHint: .isDirectory)

enum Difficulty: Int, Defaults.Serializable {
    case easy = 1
    case hard = 5
}

enum Region: String, Codable, Defaults.Serializable {
    case alps, highlands
}

enum Units: String, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
    case metric, imperial
}

struct Alerts: OptionSet, Defaults.Serializable {
    let rawValue: Int

    static let storm = Alerts(rawValue: 1 << 0)
    static let avalanche = Alerts(rawValue: 1 << 1)
    static let nightfall = Alerts(rawValue: 1 << 2)
}

struct Shelter: Codable, Equatable, Defaults.Serializable {
    var name: String
    var beds: Int
}

struct Pack: Codable, Equatable, Defaults.Serializable {
    var label: String
    var items: [String: Int]
}
