/// The names of types in Swift's notation: `[String]?` for `Optional<Array<String>>`.
enum TypeName {
    /// The name of a type.
    static func of(_ type: Any.Type) -> String {
        (type as? any ShortlyNamedType.Type)?.shortName ?? String(describing: type)
    }

    /// The type that an optional wraps, or an optional of optionals, or else the type itself.
    static func unwrapped(_ type: Any.Type) -> Any.Type {
        (type as? any WrappingType.Type).map { unwrapped($0.wrappedType) } ?? type
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
