import Keyspan

/// A collection of its own.
struct Playlist: Defaults.CollectionSerializable, BenchmarkValue {
    private var titles: [String]

    init(_ elements: [String]) { titles = elements }

    var startIndex: Int { titles.startIndex }
    var endIndex: Int { titles.endIndex }
    func index(after index: Int) -> Int { titles.index(after: index) }
    subscript(index: Int) -> String { titles[index] }

    static let typeName = "CollectionSerializable"
    static let fallback = Playlist([])
    static let samples = (Playlist((0..<10).map { "title \($0)" }), Playlist((10..<20).map { "title \($0)" }))
}
