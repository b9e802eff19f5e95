import Foundation
import KeyspanCore

#if canImport(Darwin)
import CoreFoundation
#endif

/// The border between the untyped objects of Foundation and property-list values.
///
/// Values cross it exactly, in both directions: booleans, integers and reals stay distinct, and an integer keeps all of its
/// 64 bits, signed or unsigned.
enum FoundationValue {
    /// Converts an object to a value.
    ///
    /// - Parameter object: A result of `UserDefaults` or another untyped interface; optionals in it are unwrapped.
    /// - Throws: ``ForeignValue`` if the object or one inside it is not a property-list value, or is nested too deeply.
    static func value(_ object: Any) throws(ForeignValue) -> PropertyListValue {
        try value(object, at: [])
    }

    /// Converts a value to an object: a `Bool`, `Int`, `UInt64`, `Double`, `String`, `Date`, `Data`, array or
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
            // Stores reject names that are equal to Foundation, so no entry is lost here.
            Dictionary(entries.lazy.map { ($0.key, object($0.value)) }) { first, _ in first }
        }
    }

    private static func object(_ integer: PropertyListInteger) -> Any {
        if let number: Int = integer.converted() { return number }
        // Only numbers of 2^63 and above do not fit an Int.
        return integer.uint64 ?? UInt64.max
    }

    private static func value(
        _ object: Any,
        at path: [ValuePath.Step]
    ) throws(ForeignValue) -> PropertyListValue {
        switch object {
        // Before numbers, because Foundation treats it as one and truncates it to a binary number.
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

/// Numbers at the Foundation border, where one class represents booleans, integers and reals.
enum FoundationNumber {
    /// Converts a number object to a value.
    ///
    /// The type encoding gives the kind: `f` and `d` are reals, `Q` is an unsigned integer (Apple, *Objective-C Runtime
    /// Programming Guide*, "Type Encodings"). Booleans are represented differently on each platform.
    static func value(_ number: NSNumber) -> PropertyListValue {
        if isBoolean(number) { return .boolean(number.boolValue) }
        return switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(number.doubleValue)
        case UInt8(ascii: "Q"): .integer(PropertyListInteger(number.uint64Value))
        default: .integer(PropertyListInteger(number.int64Value))
        }
    }

    /// Whether a number object is a boolean.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        #if canImport(Darwin)
        // Core Foundation has two objects for booleans.
        return CFGetTypeID(number) == CFBooleanGetTypeID()
        #else
        // In swift-corelibs-foundation only booleans have the encoding of `char`; an `Int8` has the encoding of `int`.
        return UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "c")
        #endif
    }
}

/// An error for an object at the Foundation border that is not a property-list value: its type and place.
struct ForeignValue: Error {
    /// The path from the outermost object to it.
    let path: ValuePath
    /// Its type, as Swift code writes it.
    let type: String
}

extension ForeignValue: CustomStringConvertible {
    /// The error as a clause without a full stop.
    var description: String {
        path.steps.isEmpty
            ? "the value is of the type \(type), which is not a property list"
            : "the value has a \(type) at \(path), which is not a property list"
    }
}

/// Converts objects to values, and reports objects that are not property lists, once for each key.
final class ForeignValueReports: Sendable {
    private let store: String
    private let reported = Locked<Set<UTF8Text>>([])

    /// Makes reports for a store.
    init(store: String) {
        self.store = store
    }

    /// Converts an object to a value; for an object that is not a property list, reports that and returns `nil`.
    func value(of object: Any, forKey key: String) -> PropertyListValue? {
        do {
            return try FoundationValue.value(object)
        } catch {
            report("\(error)", ofKey: key)
            return nil
        }
    }

    /// Reports that the value of a key is not a property list, unless it was reported before.
    ///
    /// - Parameter reason: The error, as a clause without a full stop.
    func report(_ reason: String, ofKey key: String) {
        guard reported.withLock({ $0.insert(UTF8Text(key)).inserted }) else { return }
        let error = StoreError(
            .notPropertyList,
            store: store,
            key: key,
            reason: reason,
            remedy: "find out which code stored it; it stays unchanged, and reads as absent until it is replaced"
        )
        Defaults.Problem.storeNotice(name: store, notice: error).report()
    }
}
