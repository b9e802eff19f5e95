import Keyspan

/// A type of which values are read and written.
protocol BenchmarkValue: Defaults.Serializable, Equatable {
    /// Its name, for the table.
    static var typeName: String { get }
    /// The default of the keys; not one of the samples, so that a read that finds nothing is noticed.
    static var fallback: Self { get }
    /// Two different values, written in turn so that each write changes something.
    static var samples: (Self, Self) { get }
    /// The name of the entry that holds a value of a key, or of the first one if there are several.
    static func entry(of key: String) -> String
}

extension BenchmarkValue {
    static func entry(of key: String) -> String { key }
}
