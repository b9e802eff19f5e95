#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The names of types in Swift's notation: `[String]?` for `Optional<Array<String>>`.
enum TypeName {
    /// The name of a type.
    static func of(_ type: Any.Type) -> String {
        (type as? any ShortlyNamedType.Type)?.shortName ?? String(describing: type)
    }

    /// The type that an optional wraps, or else the type itself.
    static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any WrappingType.Type)?.wrappedType ?? type
    }
}

/// A type with a shorter notation in Swift.
private protocol ShortlyNamedType {
    static var shortName: String { get }
}

private protocol WrappingType {
    static var wrappedType: Any.Type { get }
}

extension Optional: ShortlyNamedType, WrappingType {
    fileprivate static var shortName: String { TypeName.of(Wrapped.self) + "?" }

    fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

extension Array: ShortlyNamedType {
    fileprivate static var shortName: String { "[\(TypeName.of(Element.self))]" }
}

extension Dictionary: ShortlyNamedType {
    fileprivate static var shortName: String { "[\(TypeName.of(Key.self)): \(TypeName.of(Value.self))]" }
}

extension Set: ShortlyNamedType {
    fileprivate static var shortName: String { "Set<\(TypeName.of(Element.self))>" }
}

/// The words for values of a type, in texts for people who do not know the program's code.
struct TypeWords {
    /// One value, such as "an integer".
    let one: String
    /// Several values, such as "integers".
    let several: String

    private init(_ one: String, _ several: String) {
        self.one = one
        self.several = several
    }

    /// The words for values of a type.
    static func of(_ type: Any.Type) -> TypeWords {
        let type = TypeName.unwrapped(type)
        if let words = scalars[ObjectIdentifier(type)] { return words }
        switch type {
        case let type as any StandardInteger.Type: return TypeWords("an integer" + range(of: type), "integers")
        case is any BinaryFloatingPoint.Type: return TypeWords("a number", "numbers")
        case let type as any NamedInWords.Type: return type.words
        case let type as any RawRepresentable.Type: return rawValues(of: type)
        default:
            let name = TypeName.of(type)
            return TypeWords("a value of the type \(name)", "values of the type \(name)")
        }
    }

    /// The words for a collection, with the form in which a person writes one as text.
    fileprivate static func collection(_ noun: String, of element: Any.Type, form: String) -> TypeWords {
        let elements = of(element).several
        return TypeWords(
            "a \(noun) of \(elements), as in \(form)",
            "\(noun == "dictionary" ? "dictionarie" : noun)s of \(elements)"
        )
    }

    private static let scalars: [ObjectIdentifier: TypeWords] = [
        ObjectIdentifier(Bool.self): TypeWords("true or false", "truth values"),
        ObjectIdentifier(String.self): TypeWords("text", "texts"),
        ObjectIdentifier(Decimal.self): TypeWords("a number", "numbers"),
        ObjectIdentifier(Duration.self): TypeWords("a duration such as 1h30m", "durations"),
        ObjectIdentifier(Defaults.ByteCount.self): TypeWords("a number of bytes such as 64KiB", "numbers of bytes"),
        ObjectIdentifier(Date.self): TypeWords("a date such as 2026-11-21T10:50:00Z", "dates"),
        ObjectIdentifier(Data.self): TypeWords("data", "data"),
        ObjectIdentifier(URL.self): TypeWords("a URL", "URLs"),
        ObjectIdentifier(UUID.self): TypeWords("a UUID", "UUIDs"),
    ]

    private static func range<Number: StandardInteger>(of type: Number.Type) -> String {
        if type.bitWidth < 64 { return " from \(type.min) to \(type.max)" }
        return type.isSigned ? "" : " of at least 0"
    }

    private static func rawValues<Represented: RawRepresentable>(of type: Represented.Type) -> TypeWords {
        of(Represented.RawValue.self)
    }
}

/// A collection that names its elements in words.
private protocol NamedInWords {
    static var words: TypeWords { get }
}

extension Array: NamedInWords {
    fileprivate static var words: TypeWords { .collection("list", of: Element.self, form: "'(a, b)'") }
}

extension Set: NamedInWords {
    fileprivate static var words: TypeWords { .collection("set", of: Element.self, form: "'(a, b)'") }
}

extension Dictionary: NamedInWords {
    fileprivate static var words: TypeWords { .collection("dictionary", of: Value.self, form: "'{name = a;}'") }
}
