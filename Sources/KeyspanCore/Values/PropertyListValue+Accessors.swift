#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Accessors that answer `nil` for a value of another kind; none of them coerces.
extension PropertyListValue {
    /// The truth value, if this is one.
    public var booleanValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The whole number, if this is one.
    public var integerValue: PropertyListInteger? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The floating-point number, if this is one.
    public var realValue: Double? {
        if case .real(let value) = self { value } else { nil }
    }

    /// The text, if this is one.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The point in time, if this is one.
    public var dateValue: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The bytes, if this is data.
    public var dataValue: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var arrayValue: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The entries, if this is a dictionary.
    public var dictionaryValue: PropertyListDictionary? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// This value as a type that is a property list by itself, or `nil` if it does not make one.
    ///
    /// `PropertyListValue` has literals and an initialiser for the way there, this one is for the way back:
    ///
    /// ```swift
    /// let person: PropertyListValue = ["name": "Ann", "age": .init(33)]
    /// let age = person["age"]?.converted(to: Int.self)
    /// ```
    ///
    /// The initialiser of the type throws what is wrong instead: `try Int(propertyListValue: value)`.
    public func converted<Target: PropertyListConvertible>(to type: Target.Type = Target.self) -> Target? {
        do {
            return try Target(propertyListValue: self)
        } catch {
            // The caller asks whether, not why not.
            return nil
        }
    }

    /// The entry of that name, if this is a dictionary that has it.
    public subscript(name: String) -> PropertyListValue? { dictionaryValue?[name] }

    /// The element at that index, if this is an array that has it.
    public subscript(index: Int) -> PropertyListValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }
}
