import Keyspan

/// A key, and the way in which a program reads and writes it.
protocol KeyAccess<Value> {
    associatedtype Value: BenchmarkValue

    /// The name of the read value, for the table.
    static var name: String { get }

    /// The key.
    var key: Defaults.Key<Value> { get }

    /// Makes a key of that name.
    init(_ name: String)

    /// Reads the value.
    func read(from defaults: Defaults) throws -> Value

    /// Writes a value.
    func write(_ value: Value, to defaults: Defaults) throws
}

extension KeyAccess {
    func read(from defaults: Defaults) throws -> Value { defaults[key] }

    func write(_ value: Value, to defaults: Defaults) throws { defaults[key] = value }
}

/// An ordinary key and the subscript: what nearly all programs use.
struct PlainAccess<Value: BenchmarkValue>: KeyAccess {
    static var name: String { Value.typeName }

    let key: Defaults.Key<Value>

    init(_ name: String) {
        key = Defaults.Key(name, default: Value.fallback)
    }
}

/// A key with a rule, which a write asks.
struct ValidatedAccess: KeyAccess {
    static let name = "Int with a rule"

    let key: Defaults.Key<Int>

    init(_ name: String) {
        key = Defaults.Key(name, default: Int.fallback).validated(by: .range(0...10_000_000))
    }
}

/// A key that throws.
struct ThrowingAccess<Value: BenchmarkValue>: KeyAccess {
    static var name: String { "\(Value.typeName) of a throwing key" }

    let key: Defaults.Key<Value>
    private let throwing: Defaults.ThrowingKey<Value>

    init(_ name: String) {
        key = Defaults.Key(name, default: Value.fallback)
        throwing = key.throwing()
    }

    func read(from defaults: Defaults) throws -> Value { try defaults[throwing] }

    func write(_ value: Value, to defaults: Defaults) throws { try defaults.set(value, for: throwing) }
}

/// An ordinary key, and a read that throws.
struct StrictAccess<Value: BenchmarkValue>: KeyAccess {
    static var name: String { "\(Value.typeName) that throws" }

    let key: Defaults.Key<Value>

    init(_ name: String) {
        key = Defaults.Key(name, default: Value.fallback)
    }

    func read(from defaults: Defaults) throws -> Value { try defaults.value(for: key) }
}

/// A snapshot for each read.
struct SnapshotAccess<Value: BenchmarkValue>: KeyAccess {
    static var name: String { "\(Value.typeName) through a new snapshot" }

    let key: Defaults.Key<Value>

    init(_ name: String) {
        key = Defaults.Key(name, default: Value.fallback)
    }

    func read(from defaults: Defaults) throws -> Value { defaults.snapshot()[key] }
}
