import Keyspan

/// A type with a bridge of two methods.
struct Color: BenchmarkValue {
    var red, green, blue: Double

    static let bridge = ColorBridge()

    static let typeName = "Bridge"
    static let fallback = Color(red: 0, green: 0, blue: 0)
    static let samples = (Color(red: 1, green: 0.5, blue: 0), Color(red: 0, green: 0.5, blue: 1))
}

/// Stores a color as three numbers.
struct ColorBridge: Defaults.Bridge {
    func serialize(_ value: Color?) -> [Double]? {
        value.map { [$0.red, $0.green, $0.blue] }
    }

    func deserialize(_ object: [Double]?) -> Color? {
        guard let object, object.count == 3 else { return nil }
        return Color(red: object[0], green: object[1], blue: object[2])
    }
}
