// The second file of the same module: what it wrote for Defaults 9 to store types in a form of its own.
import Keyspan

struct Coordinate: Hashable {
    var latitude: Double
    var longitude: Double
}

extension Coordinate: Defaults.Serializable {
    struct Bridge: Defaults.Bridge {
        typealias Value = Coordinate
        typealias Serializable = [String: Double]

        func serialize(_ value: Value?) -> Serializable? {
            guard let value else {
                return nil
            }

            return ["lat": value.latitude, "lon": value.longitude]
        }

        func deserialize(_ object: Serializable?) -> Value? {
            guard
                let object,
                let latitude = object["lat"],
                let longitude = object["lon"]
            else {
                return nil
            }

            return Coordinate(latitude: latitude, longitude: longitude)
        }
    }

    static let bridge = Bridge()
}

/// A bridge whose stored type is no property list by itself but has a bridge: an array of a `Codable` type.
struct Stage: Equatable {
    var from: Shelter
    var to: Shelter
}

extension Stage: Defaults.Serializable {
    struct Bridge: Defaults.Bridge {
        typealias Value = Stage
        typealias Serializable = [Shelter]

        func serialize(_ value: Value?) -> Serializable? {
            value.map { [$0.from, $0.to] }
        }

        func deserialize(_ object: Serializable?) -> Value? {
            guard let object, object.count == 2 else {
                return nil
            }

            return Stage(from: object[0], to: object[1])
        }
    }

    static let bridge = Bridge()
}

struct Waypoints<Element: Defaults.Serializable>: Collection {
    private(set) var places: [Element]

    var startIndex: Int { places.startIndex }
    var endIndex: Int { places.endIndex }

    func index(after index: Int) -> Int {
        places.index(after: index)
    }

    subscript(position: Int) -> Element {
        places[position]
    }

    mutating func append(_ place: Element) {
        places.append(place)
    }
}

extension Waypoints: Equatable where Element: Equatable {}

extension Waypoints: Sendable where Element: Sendable {}

extension Waypoints: Defaults.CollectionSerializable {
    init(_ elements: [Element]) {
        places = elements
    }
}

struct GearSet<Element: Defaults.Serializable & Hashable>: SetAlgebra {
    private var items = Set<Element>()

    init() {}

    init(_ items: Set<Element>) {
        self.items = items
    }

    func contains(_ member: Element) -> Bool { items.contains(member) }
    func union(_ other: Self) -> Self { Self(items.union(other.items)) }
    func intersection(_ other: Self) -> Self { Self(items.intersection(other.items)) }
    func symmetricDifference(_ other: Self) -> Self { Self(items.symmetricDifference(other.items)) }

    @discardableResult
    mutating func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
        items.insert(newMember)
    }

    @discardableResult
    mutating func remove(_ member: Element) -> Element? { items.remove(member) }

    @discardableResult
    mutating func update(with newMember: Element) -> Element? { items.update(with: newMember) }

    mutating func formUnion(_ other: Self) { items.formUnion(other.items) }
    mutating func formSymmetricDifference(_ other: Self) { items.formSymmetricDifference(other.items) }
    mutating func formIntersection(_ other: Self) { items.formIntersection(other.items) }
}

extension GearSet: Sendable where Element: Sendable {}

extension GearSet: Defaults.SetAlgebraSerializable {
    func toArray() -> [Element] {
        Array(items)
    }
}
