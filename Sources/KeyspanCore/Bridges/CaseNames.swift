/// The names of the cases of enumerations that list them (`CaseIterable`), for people who write them.
///
/// An enumeration without a raw value that synthesizes `Codable` is encoded as `{"dark": {}}`, and one of numbers as its number; its cases
/// can be read by their names as well. A type that describes itself in another way has no names here. The cases have none either if the
/// program was built without them (`-disable-reflection-metadata`): then every case has the name of the type.
enum CaseNames {
    /// The name of a value of an enumeration; `nil` for any other type.
    static func name<Value>(of value: Value) -> String? {
        guard let type = Value.self as? any CaseIterable.Type else { return nil }
        let name = String(describing: value)
        return all(of: type).contains { $0.name.hasSameUTF8(as: name) } ? name : nil
    }

    /// The names of all cases; none if the type is not such an enumeration.
    static func all(of type: Any.Type) -> [String] {
        (type as? any CaseIterable.Type).map { all(of: $0).map(\.name) } ?? []
    }

    /// The value of a name; `nil` if the type is another one or has no such case.
    static func value<Value>(of name: String, as type: Value.Type) -> Value? {
        guard let type = type as? any CaseIterable.Type else { return nil }
        return all(of: type).first { $0.name.hasSameUTF8(as: name) }?.value as? Value
    }

    static let clauseBeginning = "one of "

    /// The texts of all cases, as a clause for errors: `one of light, dark`; `nil` if the type is not such an enumeration.
    ///
    /// They are the raw values if these are texts.
    static func clause(of type: Any.Type) -> String? {
        texts(of: type).map { clauseBeginning + $0.joined(separator: ", ") }
    }

    /// The same clause for an enumeration whose raw values are texts; `nil` for any other type.
    static func clauseOfRawValues(of type: Any.Type) -> String? {
        guard let cases = type as? any CaseIterable.Type,
            all(of: cases).allSatisfy({ ($0.value as? any RawRepresentable)?.rawValue is String })
        else { return nil }
        return clause(of: type)
    }

    /// The texts of all cases; `nil` if the type is not such an enumeration.
    static func texts(of type: Any.Type) -> [String]? {
        guard let type = type as? any CaseIterable.Type else { return nil }
        let names = all(of: type).map { ($0.value as? any RawRepresentable)?.rawValue as? String ?? $0.name }
        return names.isEmpty ? nil : names
    }

    private static func all<Value: CaseIterable>(of type: Value.Type) -> [(name: String, value: Any)] {
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
}
