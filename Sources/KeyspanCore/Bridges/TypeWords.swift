#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The words for values of a type, in texts for people who do not know the program's code.
struct TypeWords {
    /// A value as an example.
    struct Example {
        /// The value where a source has nothing but text, such as a variable.
        let text: String
        /// The value as JSON text.
        let json: String

        /// The text as a word for a shell: JSON text is in quotes.
        var word: String { text.utf8.contains(where: "\"[{<".utf8.contains) ? "'\(text)'" : text }
    }

    /// One value, without an example: "a percentage".
    let noun: String
    /// Several values, such as "integers".
    let several: String
    /// One value with an example: "a percentage such as 80%", "a list of integers, as in 80,90".
    let one: String
    /// Two values, or none if no form is typical.
    let examples: [Example]
    /// Whether text for a collection can have such values between commas.
    let isBetweenCommas: Bool
    /// Whether the words say more than the name of the type.
    let isKnown: Bool

    private init(
        _ noun: String,
        _ several: String,
        one: String? = nil,
        examples: [Example] = [],
        isBetweenCommas: Bool = true,
        isKnown: Bool = true
    ) {
        self.noun = noun
        self.several = several
        self.one = one ?? noun
        self.examples = examples
        self.isBetweenCommas = isBetweenCommas
        self.isKnown = isKnown
    }

    /// The words for values that JSON has as strings.
    private init(_ noun: String, _ several: String, texts: [String], showsExample: Bool = true) {
        let examples = texts.map { Example(text: $0, json: "\"\($0)\"") }
        self.init(noun, several, one: showsExample ? "\(noun) such as \(texts[0])" : nil, examples: examples)
    }

    /// The words for values that JSON does not quote.
    private init(_ noun: String, _ several: String, literals: [String]) {
        self.init(noun, several, examples: literals.map { Example(text: $0, json: $0) })
    }

    /// The words for values of a type, or of a bridge.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - showsCases: Whether to list the cases of enumerations, which may be secret.
    static func of(_ type: Any.Type, showsCases: Bool = true) -> TypeWords {
        let type = TypeName.unwrapped(type)
        if let words = scalars[ObjectIdentifier(type)] { return words }
        if showsCases, let words = cases(of: type) { return words }
        return NestedTypes.visit(type, .words, inside: name(of: type)) { words(of: type, showsCases: showsCases) }
    }

    private static func words(of type: Any.Type, showsCases: Bool) -> TypeWords {
        if let type = type as? any NamedInWords.Type { return type.words(showsCases: showsCases) }
        if let bridge = type as? any Defaults.Bridge.Type {
            return bridge is any NamingBridge.Type
                ? of(bridge.valueType, showsCases: showsCases) : name(of: bridge.valueType)
        }
        // A bridge of the program's may read any form.
        if let bridge = (type as? any Defaults.Serializable.Type)?.bridgeType, !(bridge is any NamingBridge.Type) {
            return name(of: type)
        }
        switch type {
        case let type as any StandardInteger.Type:
            return TypeWords("an integer" + range(of: type), "integers", literals: ["80", "90"])
        case is any BinaryFloatingPoint.Type: return TypeWords("a number", "numbers", literals: ["0.5", "2"])
        case let type as any Defaults.TextSerializable.Type: return text(of: type)
        case let type as any RawRepresentable.Type: return rawValues(of: type)
        case is any PropertyListConvertible.Type: return name(of: type)
        default: return name(of: type, form: type is any Decodable.Type ? ", as JSON text" : "")
        }
    }

    /// The same words without the examples that are not to be shown.
    func showing(_ isShown: (Example) -> Bool) -> TypeWords {
        let shown = examples.filter(isShown)
        if shown.count == examples.count { return self }
        let isText = one != noun && isBetweenCommas
        return TypeWords(
            noun,
            several,
            one: isText ? shown.first.map { "\(noun) such as \($0.text)" } : nil,
            examples: shown,
            isBetweenCommas: isBetweenCommas,
            isKnown: isKnown
        )
    }

    /// The noun for a value inside of another one, where no form has a name.
    static func nounInside(of type: Any.Type) -> String {
        let words = of(type)
        return words.isKnown ? words.noun : name(of: TypeName.unwrapped(type)).noun
    }

    fileprivate static func name(of type: Any.Type, form: String = "") -> TypeWords {
        let name = TypeName.of(type) + form
        return TypeWords(
            "a value of the type \(name)",
            "values of the type \(name)",
            isBetweenCommas: false,
            isKnown: false
        )
    }

    private static let scalars: [ObjectIdentifier: TypeWords] = [
        ObjectIdentifier(Bool.self): TypeWords("true or false", "truth values", literals: ["true", "false"]),
        ObjectIdentifier(String.self): TypeWords("text", "texts", texts: ["a", "b"], showsExample: false),
        ObjectIdentifier(Decimal.self): TypeWords("a number", "numbers", literals: ["1.10", "2"]),
        ObjectIdentifier(Duration.self): TypeWords("a duration", "durations", texts: ["1h30m", "2h"]),
        ObjectIdentifier(Defaults.ByteCount.self): TypeWords(
            "a number of bytes",
            "numbers of bytes",
            texts: ["64KiB", "1GB"]
        ),
        ObjectIdentifier(Date.self): TypeWords(
            "a date",
            "dates",
            texts: ["2026-11-21T10:50:00Z", "2026-11-22T00:00:00Z"]
        ),
        ObjectIdentifier(Data.self): TypeWords(
            "data",
            "data",
            one: "data in hexadecimal digits, as in '<0fbd>'",
            isBetweenCommas: false
        ),
        ObjectIdentifier(URL.self): TypeWords(
            "a URL",
            "URLs",
            texts: ["https://example.com", "https://example.org"],
            showsExample: false
        ),
        ObjectIdentifier(UUID.self): TypeWords("a UUID", "UUIDs"),
        ObjectIdentifier(PropertyListValue.self): TypeWords("a value", "values"),
        ObjectIdentifier(Int128.self): TypeWords("an integer", "integers", literals: ["80", "90"]),
        ObjectIdentifier(UInt128.self): TypeWords("an integer of at least 0", "integers", literals: ["80", "90"]),
        ObjectIdentifier(Defaults.Percentage.self): TypeWords("a percentage", "percentages", texts: ["80%", "100%"]),
        ObjectIdentifier(Defaults.HostAndPort.self): TypeWords(
            "a host and port",
            "hosts and ports",
            texts: ["127.0.0.1:8080", "example.com:443"]
        ),
        ObjectIdentifier(Defaults.IPAddress.self): TypeWords(
            "an IP address",
            "IP addresses",
            texts: ["192.0.2.1", "2001:db8::1"]
        ),
    ]

    private static func range<Number: StandardInteger>(of type: Number.Type) -> String {
        if type.bitWidth < 64 { return " from \(type.min) to \(type.max)" }
        return type.isSigned ? "" : " of at least 0"
    }

    private static func rawValues<Represented: RawRepresentable>(of type: Represented.Type) -> TypeWords {
        of(Represented.RawValue.self)
    }

    /// The words for an enumeration that lists its cases, unless there are very many.
    private static func cases(of type: Any.Type) -> TypeWords? {
        guard let names = CaseNames.texts(of: type), (1...20).contains(names.count),
            // Only a type that names its bridge can read other texts.
            (type as? any Defaults.Serializable.Type).map({ names.allSatisfy($0.readsCase) }) != false
        else { return nil }
        let list = names.joined(separator: ", ")
        return TypeWords(
            "one of \(list)",
            "values among \(list)",
            examples: names.prefix(2).map { Example(text: $0, json: "\"\($0)\"") }
        )
    }

    /// The words for a type that converts to and from text; it names its forms as the end of an error's sentence.
    private static func text(of type: any Defaults.TextSerializable.Type) -> TypeWords {
        let (forms, beginning) = (type.textForms, "write it as ")
        let example = forms.hasUTF8Prefix(beginning) ? " such as " + forms.dropFirst(beginning.count) : ""
        return TypeWords("text" + example, "texts" + example)
    }

    // MARK: Collections

    /// The words for a collection, with the form in which a person writes one as text.
    fileprivate static func list(_ noun: String, of element: TypeWords) -> TypeWords {
        let text = element.examples.map(\.text).joined(separator: ",")
        return collection(
            "a \(noun) of \(element.several)",
            "\(noun)s of \(element.several)",
            text: element.isBetweenCommas ? text : nil,
            json: "[" + element.examples.map(\.json).joined(separator: ", ") + "]",
            hasExample: !element.examples.isEmpty
        )
    }

    /// The words for a dictionary.
    ///
    /// - Parameters:
    ///   - element: The words for its values.
    ///   - names: Names of entries for the example; any if `nil`.
    fileprivate static func dictionary(of element: TypeWords, names: [String]? = nil) -> TypeWords {
        let isInteger = element.examples.first.map { Int($0.text) != nil } ?? false
        let examples = isInteger ? ["2", "4"].map { Example(text: $0, json: $0) } : element.examples
        let pairs = zip(names ?? (isInteger ? ["cpu", "memory"] : ["name", "other"]), examples)
        return collection(
            "a dictionary of \(element.several)",
            "dictionaries of \(element.several)",
            text: element.isBetweenCommas ? pairs.map { "\($0)=\($1.text)" }.joined(separator: ",") : nil,
            json: "{" + pairs.map { "\"\($0)\": \($1.json)" }.joined(separator: ", ") + "}",
            hasExample: !element.examples.isEmpty
        )
    }

    /// Names of entries, as examples, for a type of keys that does not take any text; `nil` for others.
    fileprivate static func names(of type: Any.Type, showsCases: Bool) -> [String]? {
        switch type {
        case is any StandardInteger.Type: ["1", "2"]
        case is UUID.Type: ["6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57"]
        default: showsCases ? CaseNames.namesInDictionary(of: type) : nil
        }
    }

    fileprivate static func range(of element: TypeWords) -> TypeWords {
        let list = list("range", of: element)
        let one = list.examples.isEmpty ? list.one : list.one + ", with the lower bound first"
        return TypeWords(list.noun, list.several, one: one, examples: list.examples, isBetweenCommas: false)
    }

    private static func collection(
        _ noun: String,
        _ several: String,
        text: String?,
        json: String,
        hasExample: Bool
    ) -> TypeWords {
        guard hasExample else { return TypeWords(noun, several, isBetweenCommas: false) }
        // Without a space, an example is one word, which a help text does not wrap.
        let example = Example(text: text ?? json.filter { $0 != " " }, json: json)
        return TypeWords(
            noun,
            several,
            one: "\(noun), as in \(example.word)",
            examples: [example],
            isBetweenCommas: false
        )
    }
}

/// A collection that names its elements in words.
private protocol NamedInWords {
    static func words(showsCases: Bool) -> TypeWords
}

extension Array: NamedInWords {
    fileprivate static func words(showsCases: Bool) -> TypeWords {
        if (Element.self as? any Defaults.Serializable.Type)?._arrayBridge != nil { return .name(of: Self.self) }
        return .list("list", of: .of(Element.self, showsCases: showsCases))
    }
}

extension Set: NamedInWords {
    fileprivate static func words(showsCases: Bool) -> TypeWords {
        .list("set", of: .of(Element.self, showsCases: showsCases))
    }
}

extension Dictionary: NamedInWords {
    fileprivate static func words(showsCases: Bool) -> TypeWords {
        .dictionary(
            of: .of(Value.self, showsCases: showsCases),
            names: TypeWords.names(of: Key.self, showsCases: showsCases)
        )
    }
}

extension Defaults.DictionaryBridge: NamedInWords {
    fileprivate static func words(showsCases: Bool) -> TypeWords {
        let type = (Key.self as? any DictionaryName.Type)?.keyType ?? Key.self
        return .dictionary(
            of: .of(Element.self, showsCases: showsCases),
            names: TypeWords.names(of: type, showsCases: showsCases)
        )
    }
}

extension Range: NamedInWords {
    fileprivate static func words(showsCases: Bool) -> TypeWords { .range(of: .of(Bound.self, showsCases: showsCases)) }
}

extension ClosedRange: NamedInWords {
    fileprivate static func words(showsCases: Bool) -> TypeWords { .range(of: .of(Bound.self, showsCases: showsCases)) }
}

/// A bridge that reads the forms that the words for its values' type name.
private protocol NamingBridge: Defaults.Bridge {}

extension Defaults.NativeBridge: NamingBridge {}
extension Defaults.TextBridge: NamingBridge {}
extension Defaults.RawRepresentableBridge: NamingBridge {}
extension Defaults.TopLevelCodableBridge: NamingBridge {}
extension Defaults.RawRepresentableCodableBridge: NamingBridge {}
extension Defaults.StructuredCodableBridge: NamingBridge {}
extension Defaults.JSONDataBridge: NamingBridge {}
extension Defaults.CoercingBridge: NamingBridge {}

extension Defaults.Bridge {
    fileprivate static var valueType: Any.Type { Value.self }
}

extension Defaults.Serializable {
    fileprivate static var bridgeType: Any.Type { Bridge.self }

    /// Whether the text of a case is read as that case.
    fileprivate static func readsCase(_ text: String) -> Bool {
        toValue(.string(text)).flatMap { CaseNames.text(of: $0) }?.hasSameUTF8(as: text) == true
    }
}
