import Keyspan

/// An enumeration that is stored as its raw value.
enum Fruit: String, BenchmarkValue {
    case apple, pear, plum

    static let typeName = "enum of String"
    static let fallback = Fruit.plum
    static let samples = (Fruit.apple, Fruit.pear)
}
