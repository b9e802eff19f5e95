/// A type whose values property lists hold without a bridge's help: a bridge's `Serializable` leads to one in the end.
///
/// The package conforms the types that have an exact form among the kinds of ``PropertyListValue``. Any other type uses a
/// ``Defaults/Bridge`` whose `Serializable` is one of these. Only these types reach a store, so the compiler rejects values
/// that property lists cannot hold.
public protocol PropertyListConvertible {
    /// This value in its stored form.
    var propertyListValue: PropertyListValue { get }

    /// Makes a value from its stored form, without coercion.
    ///
    /// - Parameter stored: The value found in the store.
    /// - Throws: ``ValueDecodingError`` if the stored value is of another kind or does not fit.
    init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError)
}

extension PropertyListValue {
    /// Makes a value from anything that has a stored form.
    public init(_ value: some PropertyListConvertible) {
        self = value.propertyListValue
    }

    /// This value as another type; `nil` if it does not make one.
    ///
    /// Literals and ``init(_:)`` make property lists, this method reads them:
    ///
    /// ```swift
    /// let person: PropertyListValue = ["name": "Ann", "age": .init(33)]
    /// let age = person["age"]?.converted(to: Int.self)
    /// ```
    ///
    /// The type's own initializer throws the reason instead: `try Int(propertyListValue: value)`.
    public func converted<Target: PropertyListConvertible>(to type: Target.Type = Target.self) -> Target? {
        do {
            return try Target(propertyListValue: self)
        } catch {
            // The initializer gives the reason.
            return nil
        }
    }
}

extension PropertyListValue: PropertyListConvertible, Defaults.Serializable {
    @_spi(StoreAuthors) public var propertyListValue: PropertyListValue { self }

    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) {
        self = stored
    }
}

extension Array: PropertyListConvertible where Element: PropertyListConvertible {
    @_spi(StoreAuthors) public var propertyListValue: PropertyListValue { .array(map(\.propertyListValue)) }

    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .array(let elements) = stored else { throw .typeMismatch(expected: .array, found: stored) }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                append(try Element(propertyListValue: element))
            } catch {
                throw error.nested(under: .index(index))
            }
        }
    }
}

extension Dictionary: PropertyListConvertible where Key == String, Value: PropertyListConvertible {
    @_spi(StoreAuthors) public var propertyListValue: PropertyListValue {
        var entries = PropertyListDictionary(minimumCapacity: count)
        for (name, value) in self {
            entries[name] = value.propertyListValue
        }
        return .dictionary(entries)
    }

    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .dictionary(let entries) = stored else { throw .typeMismatch(expected: .dictionary, found: stored) }
        self = [:]
        reserveCapacity(entries.count)
        for (name, entry) in entries {
            do throws(ValueDecodingError) {
                if let index = index(forKey: name) {
                    throw .equalNames(name, of: entry, after: self[index].key)
                }
                self[name] = try Value(propertyListValue: entry)
            } catch {
                throw error.nested(under: .name(name))
            }
        }
    }
}

extension Defaults {
    /// Stores values of a ``PropertyListConvertible`` type without conversion.
    ///
    /// Reading converts nothing either, except typed text; see ``DecodingContext/readsText``.
    public struct NativeBridge<Value: PropertyListConvertible & Serializable>: Bridge, Sendable {
        @inlinable
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: Value?) -> Value? { value }

        @_spi(StoreAuthors) public func deserialize(_ object: Value?) -> Value? { object }

        @inlinable
        @_spi(StoreAuthors) public func encode(_ value: Value) -> PropertyListValue { value.propertyListValue }

        @inlinable
        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Value {
            do {
                return try Value(propertyListValue: stored)
            } catch {
                return try context.value(ofText: stored, insteadOf: error)
            }
        }
    }
}

extension Defaults.NativeBridge: SchemaBridge {
    static func schema(levels: Int) -> PropertyListDictionary {
        // Asking a type outside this package would lead back to this bridge.
        Value.self is any StandardType.Type ? Value.storedSchema(levels: levels) : [:]
    }
}

extension Defaults.Serializable where Self: PropertyListConvertible {
    public static var isNativelySupportedType: Bool { true }

    @inlinable
    public static var bridge: Defaults.NativeBridge<Self> { Defaults.NativeBridge() }
}

// The standard types are `Codable` too; this choice keeps them from being stored as JSON text.
extension Defaults.Serializable where Self: PropertyListConvertible & Codable {
    public static var isNativelySupportedType: Bool { true }

    @inlinable
    public static var bridge: Defaults.NativeBridge<Self> { Defaults.NativeBridge() }
}
