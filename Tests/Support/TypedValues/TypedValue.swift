package import Foundation
@_spi(StoreAuthors) package import KeyspanCore
package import KeyspanTesting
package import Testing

/// A value of some type that keys have, without that type: its stored forms, its writer, its reader and the comparison of both.
package struct TypedValue: Sendable, CustomStringConvertible {
    /// The type and the value in words, for a failure.
    package let description: String
    /// The form in a store that holds JSON text, or the error of the write.
    package let stored: Result<PropertyListValue, Defaults.WriteError>
    /// The form in a store for people; `nil` if it has none.
    package let readable: PropertyListValue?
    /// Whether a store may refuse the value, as one that JSON text cannot hold.
    package let mayBeRefused: Bool
    /// A key that has the value as its default; `nil` for a key that cannot have one.
    package let keyWithDefault: Defaults.AnyKey?
    package let write: @Sendable (any PropertyListStore, String) throws(Defaults.WriteError) -> Void
    /// Adds its write to a batch.
    package let add: @Sendable (inout Defaults.Batch, String) throws(Defaults.WriteError) -> Void
    /// Why what is read under a name is not the value; `nil` if it is.
    package let difference: @Sendable (any PropertyListStore, String) -> String?
    /// An equal value whose parts were added in another order and with another capacity; `nil` if the type has no parts in any order.
    package let rebuilt: (@Sendable () -> TypedValue)?
    /// The forms of Foundation's coders; `nil` if the type is not `Codable`.
    package let foundation: FoundationForms?

    /// What Foundation's coders make of a value.
    package struct FoundationForms: Sendable {
        /// Whether the type is stored as JSON text.
        package let isJSONText: Bool
        package let json: @Sendable () throws -> Data
        package let propertyList: @Sendable () throws -> Data
        /// Whether a decoder makes the value of JSON text.
        package let isInJSON: @Sendable (Data) throws -> Bool
        /// Whether a decoder makes the value of a property list.
        package let isInPropertyList: @Sendable (Data) throws -> Bool
    }
}

extension TypedValue {
    init<Value: Equatable & Sendable>(_ value: Value, of type: TypedKey<Value>, mayBeRefused: Bool? = false) {
        let key = type.key("value")
        @Sendable func form(_ value: Value, in store: any PropertyListStore) -> Result<
            PropertyListValue, Defaults.WriteError
        > {
            do throws(Defaults.WriteError) {
                try Defaults(store).set(value, for: key)
            } catch {
                return .failure(error)
            }
            // No value of the table is absent.
            return .success(store.value(forKey: key.name) ?? "nothing is stored")
        }
        let stored = form(value, in: InMemoryStore())
        self.stored = stored
        let readable = try? form(value, in: ReadableMemoryStore()).get()
        self.readable = readable
        // A value that is not equal to itself is compared by its forms alone.
        let hasNaN = (try? stored.get())?.hasNaN ?? readable?.hasNaN ?? false
        // By its form: Foundation ends the process for the description of a date in a distant future.
        description = "\(Value.self) \(Self.text(of: stored))"
        self.mayBeRefused = mayBeRefused ?? ((try? stored.get()) == nil)
        keyWithDefault = type.keyWithDefault?("value", value)
        write = { (store, name) throws(Defaults.WriteError) in try Defaults(store).set(value, for: type.key(name)) }
        add = { (batch, name) throws(Defaults.WriteError) in try batch.set(value, for: type.key(name)) }
        difference = { store, name in
            let key = type.key(name)
            func difference(_ read: Value?) -> String? {
                guard let read else { return "nothing is read" }
                // Equal texts can differ in their bytes; stored ones are compared by them.
                let again = form(read, in: InMemoryStore())
                switch (again, stored) {
                case _ where read != value && !hasNaN:
                    return "\(Self.text(of: again)) is read"
                case (.success(let again), .success(let stored)) where again == stored: return nil
                case (.failure, .failure): return nil
                default: return "\(Self.text(of: again)) would be stored anew"
                }
            }
            do {
                if let difference = difference(try Defaults(store).value(for: key)) { return difference }
            } catch {
                return "\(error)"
            }
            // Everything that a strict read takes, a lenient one takes without a word.
            return reportedProblems { Defaults(store)[key] }.first
        }
        rebuilt = type.rebuild.map { rebuild -> @Sendable () -> TypedValue in
            { TypedValue(rebuild(value), of: type, mayBeRefused: mayBeRefused) }
        }
        foundation = type.foundation?(value)
    }

    private static func text(of stored: Result<PropertyListValue, Defaults.WriteError>) -> String {
        switch stored {
        case .success(let form): String(form.description.prefix(120))
        case .failure(let error): "(\(error))"
        }
    }
}

extension PropertyListValue {
    /// Whether a part is not equal to itself.
    fileprivate var hasNaN: Bool {
        switch self {
        case .real(let real): real.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        case .array(let elements): elements.contains(where: \.hasNaN)
        case .dictionary(let entries): entries.contains { $0.key == "nan" || $0.value.hasNaN }
        case .boolean, .integer, .string, .data: false
        }
    }
}

/// Makes keys of a type, rebuilds its values and codes them.
package struct TypedKey<Value: Sendable>: Sendable {
    package var key: @Sendable (String) -> Defaults.Key<Value?>
    package var keyWithDefault: (@Sendable (String, Value) -> Defaults.AnyKey)?
    package var rebuild: (@Sendable (Value) -> Value)?
    package var foundation: (@Sendable (Value) -> TypedValue.FoundationForms)?

    package init(
        key: @escaping @Sendable (String) -> Defaults.Key<Value?>,
        keyWithDefault: (@Sendable (String, Value) -> Defaults.AnyKey)? = nil,
        rebuild: (@Sendable (Value) -> Value)? = nil,
        foundation: (@Sendable (Value) -> TypedValue.FoundationForms)? = nil
    ) {
        self.key = key
        self.keyWithDefault = keyWithDefault
        self.rebuild = rebuild
        self.foundation = foundation
    }
}

/// A type of values in the table.
package struct TypedValues: Sendable, CustomStringConvertible {
    /// The name of the type, with a note if its key is special.
    package let name: String
    /// Values that are always tried.
    package let samples: [TypedValue]
    /// Values that no store may take.
    package let refused: [TypedValue]
    /// Makes a value; `nil` where the random choice has none.
    package let random: @Sendable (inout SeededGenerator) -> TypedValue?
    /// A key without a default, for descriptions.
    package let key: Defaults.AnyKey
    /// The value that a store has under a name, or the error of a strict read; `nil` if there is none.
    package let read: @Sendable (any PropertyListStore, String) -> Result<TypedValue?, Defaults.ReadError>

    package var description: String { name }

    /// The samples, and a number of random values.
    package func values(_ count: Int, using generator: inout SeededGenerator) -> [TypedValue] {
        samples + (0..<count).compactMap { _ in random(&generator) }
    }
}

extension [TypedValues] {
    /// Adds a type with its own bridge.
    package mutating func add<Value: Defaults.Serializable & Equatable & Sendable & SendableMetatype>(
        _ samples: [Value],
        mayBeRefused: [Value] = [],
        refused: [Value] = [],
        random: (@Sendable (inout SeededGenerator) -> Value?)? = nil,
        rebuild: (@Sendable (Value) -> Value)? = nil
    ) {
        let key = TypedKey(
            key: { Defaults.Key<Value?>($0) },
            keyWithDefault: { Defaults.Key<Value>($0, default: $1) },
            rebuild: rebuild
        )
        add(key, samples, mayBeRefused: mayBeRefused, refused: refused, random: random)
    }

    /// Adds a `Codable` type with its own bridge.
    package mutating func add<Value: Defaults.Serializable & Codable & Equatable & Sendable & SendableMetatype>(
        codable samples: [Value],
        mayBeRefused: [Value] = [],
        refused: [Value] = [],
        random: (@Sendable (inout SeededGenerator) -> Value?)? = nil,
        rebuild: (@Sendable (Value) -> Value)? = nil
    ) {
        let key = TypedKey<Value>(
            key: { Defaults.Key<Value?>($0) },
            keyWithDefault: { Defaults.Key<Value>($0, default: $1) },
            rebuild: rebuild,
            foundation: { value in
                // Foundation's coder of property lists needs a collection around a single value.
                TypedValue.FoundationForms(
                    isJSONText: Value.bridge is any Defaults.CodableBridge,
                    json: { try JSONEncoder().encode(value) },
                    propertyList: {
                        let encoder = PropertyListEncoder()
                        encoder.outputFormat = .binary
                        return try encoder.encode(["value": value])
                    },
                    isInJSON: { try JSONDecoder().decode(Value.self, from: $0) == value },
                    isInPropertyList: {
                        try PropertyListDecoder().decode([String: Value].self, from: $0)["value"] == value
                    }
                )
            }
        )
        add(key, samples, mayBeRefused: mayBeRefused, refused: refused, random: random)
    }

    /// Adds a type with another key.
    package mutating func add<Value: Equatable & Sendable>(
        _ key: TypedKey<Value>,
        note: String = "",
        _ samples: [Value],
        mayBeRefused: [Value] = [],
        refused: [Value] = [],
        random: (@Sendable (inout SeededGenerator) -> Value?)? = nil
    ) {
        append(
            TypedValues(
                name: "\(Value.self)\(note)",
                samples: samples.map { TypedValue($0, of: key) }
                    + mayBeRefused.map { TypedValue($0, of: key, mayBeRefused: true) },
                refused: refused.map { TypedValue($0, of: key) },
                random: { random?(&$0).map { TypedValue($0, of: key, mayBeRefused: nil) } },
                key: key.key("value"),
                read: { store, name in
                    do throws(Defaults.ReadError) {
                        return .success(
                            try Defaults(store).value(for: key.key(name)).map {
                                TypedValue($0, of: key, mayBeRefused: true)
                            }
                        )
                    } catch {
                        return .failure(error)
                    }
                }
            )
        )
    }
}

/// A store in memory whose keys write as people do.
package final class ReadableMemoryStore: ForwardingStore {
    package let base = InMemoryStore()

    package init() {}

    package var valueForm: Defaults.ValueForm { .readable }
}

/// Records one issue with the first of many violations of a law, because thousands of expectations take longer than the law.
package func expectNone(_ violations: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    if violations.isEmpty { return }
    let shown = violations.prefix(TestLevel.current.pick(20, thorough: 200)).joined(separator: "\n")
    Issue.record("\(violations.count) violations:\n\(shown)", sourceLocation: sourceLocation)
}
