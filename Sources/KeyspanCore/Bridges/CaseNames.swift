/// The cases of enumerations that list them (`CaseIterable`), and their names, for people who write them.
///
/// An enumeration without a raw value that synthesizes `Codable` is encoded as `{"dark": {}}`, and one of numbers as its number; its cases
/// can be read by their names as well. A type that describes itself in another way has no names here. The cases have none either if the
/// program was built without them (`-disable-reflection-metadata`): then every case has the name of the type.
enum CaseNames {
    // MARK: Names

    /// The name of a value of an enumeration, or of an optional of one; `nil` for any other value.
    static func name(of value: Any) -> String? {
        (value as? any CaseIterable).flatMap { name(ofCase: $0) }
    }

    private static func name<Value: CaseIterable>(ofCase value: Value) -> String? {
        let name = String(describing: value)
        return named(Value.self).contains { $0.name.hasSameUTF8(as: name) } ? name : nil
    }

    /// The value of a name; `nil` if the type is neither such an enumeration nor an optional of one, or has no such case.
    static func value<Value>(of name: String, as type: Value.Type) -> Value? {
        guard let type = TypeName.unwrapped(type) as? any CaseIterable.Type,
            // A cast of `nil` succeeds for optional types.
            let found = named(type).first(where: { $0.name.hasSameUTF8(as: name) })
        else { return nil }
        return found.value as? Value
    }

    /// Whether cases of the type can be read by their names.
    static func hasNames(_ type: any CaseIterable.Type) -> Bool { !named(type).isEmpty }

    private static func named<Value: CaseIterable>(_ type: Value.Type) -> [(name: String, value: Any)] {
        if Value.self is any CustomStringConvertible.Type || Value.self is any TextOutputStreamable.Type
            || Value.self is any CustomDebugStringConvertible.Type
        {
            return []
        }
        let cases: [(name: String, value: Any)] = Value.allCases.prefix(256).compactMap { value in
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return nil }
            return (String(describing: value), value)
        }
        return Set(cases.map { UTF8Text($0.name) }).count == cases.count ? cases : []
    }

    // MARK: All cases

    /// The values of a type that lists all values that it has; `nil` for any other type.
    ///
    /// `allCases` may lack some: the combinations of an option set, the values of an open structure, cases with payloads, and those that a
    /// program hides.
    static func all(of type: Any.Type) -> [Any]? {
        (TypeName.unwrapped(type) as? any CaseIterable.Type).flatMap { completeCases(of: $0) }
    }

    private static func completeCases<Value: CaseIterable>(of type: Value.Type) -> [Any]? {
        let number = numberOfValues(of: type)
        let cases = type.allCases.prefix(number + 1)
        guard number > 0, cases.count == number else { return nil }
        return Set(cases.compactMap { $0 as? AnyHashable }).count == number ? Array(cases) : nil
    }

    /// The number of values that a type of at most one byte can have; 0 for a larger type.
    ///
    /// An optional of the type needs no second byte as long as there are bytes that stand for no value.
    private static func numberOfValues<Value>(of type: Value.Type, levels: Int = 0) -> Int {
        switch MemoryLayout<Value>.size {
        case 0: 1
        case 1 where MemoryLayout<Value?>.size == 1: numberOfValues(of: Value?.self, levels: levels + 1)
        case 1: 256 - levels
        default: 0
        }
    }

    // MARK: Texts

    /// The text of a case: its raw value if that is a text, or else its name; `nil` for any other value.
    static func text(of value: Any) -> String? {
        (value as? any RawRepresentable)?.rawValue as? String ?? name(of: value)
    }

    /// The texts of all cases; `nil` if the type has other values, or a case no text.
    static func texts(of type: Any.Type) -> [String]? {
        let cases = all(of: type)
        let texts = cases?.compactMap(text)
        return texts?.count == cases?.count ? texts : nil
    }

    /// The names that all cases have in a dictionary that they index: the texts of their raw values.
    static func namesInDictionary(of type: Any.Type) -> [String]? {
        let cases = all(of: type)
        let names = cases?.compactMap { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } }
        return names?.count == cases?.count ? names : nil
    }

    static let clauseBeginning = "one of "

    /// The texts of all cases, as a clause for errors: `one of light, dark`; `nil` if there are other values.
    static func clause(of type: Any.Type) -> String? { texts(of: type).map(clause) }

    /// The same clause for an enumeration whose raw values are texts; `nil` for any other type.
    static func clauseOfRawValues(of type: Any.Type) -> String? {
        guard TypeName.unwrapped(type) is any RawRepresentable.Type,
            let cases = all(of: type), cases.allSatisfy({ ($0 as? any RawRepresentable)?.rawValue is String })
        else { return nil }
        return clause(of: type)
    }

    /// A clause for errors that lists texts.
    static func clause(_ texts: [String]) -> String { clauseBeginning + texts.joined(separator: ", ") }
}
