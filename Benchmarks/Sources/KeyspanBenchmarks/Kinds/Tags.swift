import Keyspan

/// A set algebra of its own.
struct Tags: Defaults.SetAlgebraSerializable, BenchmarkValue {
    private var names: Set<String>

    init() { names = [] }

    init(_ names: Set<String>) { self.names = names }

    func toArray() -> [String] { Array(names) }

    func contains(_ member: String) -> Bool { names.contains(member) }

    func union(_ other: Tags) -> Tags { Tags(names.union(other.names)) }

    func intersection(_ other: Tags) -> Tags { Tags(names.intersection(other.names)) }

    func symmetricDifference(_ other: Tags) -> Tags { Tags(names.symmetricDifference(other.names)) }

    mutating func insert(_ newMember: String) -> (inserted: Bool, memberAfterInsert: String) { names.insert(newMember) }

    mutating func remove(_ member: String) -> String? { names.remove(member) }

    mutating func update(with newMember: String) -> String? { names.update(with: newMember) }

    mutating func formUnion(_ other: Tags) { names.formUnion(other.names) }

    mutating func formIntersection(_ other: Tags) { names.formIntersection(other.names) }

    mutating func formSymmetricDifference(_ other: Tags) { names.formSymmetricDifference(other.names) }

    static let typeName = "SetAlgebraSerializable"
    static let fallback = Tags()
    static let samples = (Tags(["one", "two", "three", "four"]), Tags(["five", "six", "seven", "eight"]))
}
