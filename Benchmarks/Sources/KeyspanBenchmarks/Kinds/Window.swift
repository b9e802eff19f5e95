import Keyspan

/// A type whose bridge stores it in two entries.
struct Window: BenchmarkValue {
    var width: Double
    var height: Double

    static let bridge = WindowBridge()

    static let typeName = "DirectBridge of two entries"
    static let fallback = Window(width: 0, height: 0)
    static let samples = (Window(width: 640, height: 480), Window(width: 1024, height: 768))

    static func entry(of key: String) -> String { key + ".width" }
}

/// Stores a window in an entry for each side.
struct WindowBridge: Defaults.DirectBridge {
    func entries(of key: String) -> [String] { [key + ".width", key + ".height"] }

    func get(key: String, store: PropertyListTable) -> Window? {
        guard
            case .real(let width)? = store[key + ".width"],
            case .real(let height)? = store[key + ".height"]
        else { return nil }
        return Window(width: width, height: height)
    }

    func save(key: String, value: Window?, store: inout PropertyListEdit) {
        store[key + ".width"] = value.map { .real($0.width) }
        store[key + ".height"] = value.map { .real($0.height) }
    }
}
