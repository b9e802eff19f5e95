import Foundation
import KeyspanCore

/// The border between the untyped objects of Foundation and property-list values.
///
/// Values cross it exactly, in both directions: a truth value, an integer and a real stay three different things, and an
/// integer keeps all of its 64 bits, with or without a sign.
enum FoundationValue {
    /// The value that an object is.
    ///
    /// - Parameter object: What `UserDefaults` or another untyped interface returned; optionals in it are looked into.
    /// - Throws: ``ForeignValue`` if the object, or one inside of it, is no property-list value, or lies deeper than values
    ///   are nested.
    static func value(_ object: Any) throws(ForeignValue) -> PropertyListValue {
        try value(object, at: [])
    }

    /// The object that stands for a value: a `Bool`, `Int`, `UInt64`, `Double`, `String`, `Date`, `Data`, array or
    /// dictionary.
    static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .boolean(let value): value
        case .integer(let integer): object(integer)
        case .real(let real): real
        case .string(let text): text
        case .date(let date): date
        case .data(let data): data
        case .array(let elements): elements.map(object)
        case .dictionary(let entries):
            // Stores refuse names that Foundation takes for one, so none is lost here.
            Dictionary(entries.lazy.map { ($0.key, object($0.value)) }) { first, _ in first }
        }
    }

    private static func object(_ integer: PropertyListInteger) -> Any {
        if let number: Int = integer.converted() { return number }
        // What is no Int is 2^63 or above.
        return integer.uint64 ?? UInt64.max
    }

    private static func value(
        _ object: Any,
        at path: [ValuePath.Step]
    ) throws(ForeignValue) -> PropertyListValue {
        switch object {
        // Before numbers, because Foundation takes it for one and cuts off what a binary number cannot hold.
        case is NSDecimalNumber: throw foreign(object, at: path)
        case let number as NSNumber: return FoundationNumber.value(number)
        case let number as CGFloat: return .real(Double(number))
        case let text as String: return .string(text)
        case let date as Date: return .date(date)
        case let data as Data: return .data(data)
        case let elements as [Any]:
            guard path.count < PropertyListValue.maximumNesting else { throw foreign(object, at: path) }
            return .array(try array(of: elements, at: path))
        case let entries as [String: Any]:
            guard path.count < PropertyListValue.maximumNesting else { throw foreign(object, at: path) }
            return .dictionary(try dictionary(of: entries, at: path))
        default: throw foreign(object, at: path)
        }
    }

    private static func array(
        of elements: [Any],
        at path: [ValuePath.Step]
    ) throws(ForeignValue) -> [PropertyListValue] {
        var values: [PropertyListValue] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            values.append(try value(element, at: path + [.index(index)]))
        }
        return values
    }

    private static func dictionary(
        of entries: [String: Any],
        at path: [ValuePath.Step]
    ) throws(ForeignValue) -> PropertyListDictionary {
        var values: PropertyListDictionary = [:]
        values.reserveCapacity(entries.count)
        for (name, entry) in entries {
            values[name] = try value(entry, at: path + [.name(name)])
        }
        return values
    }

    private static func foreign(_ object: Any, at path: [ValuePath.Step]) -> ForeignValue {
        ForeignValue(path: ValuePath(path), type: "\(type(of: object))")
    }
}
