import KeyspanCore

enum Fruit: String, Defaults.Serializable {
    case apple, pear
}

enum Level: Int, Codable, Defaults.Serializable {
    case low = 1
    case high = 2
}

enum Mode: String, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
    case fast, safe
}

struct User: Codable, Hashable, Defaults.Serializable {
    var name: String
    var age: Int
}

struct Point: Hashable {
    var x: Double
    var y: Double
}

/// A bridge with the two methods that every bridge has, and no more.
struct PointBridge: Defaults.Bridge {
    func serialize(_ value: Point?) -> [String: Double]? {
        value.flatMap { $0.x.isNaN ? nil : ["x": $0.x, "y": $0.y] }
    }

    func deserialize(_ object: [String: Double]?) -> Point? {
        guard let x = object?["x"], let y = object?["y"] else { return nil }
        return Point(x: x, y: y)
    }
}

extension Point: Defaults.Serializable {
    static let bridge = PointBridge()
}
