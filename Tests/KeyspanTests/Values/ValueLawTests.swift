import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// What help and schemas say of the values of every type is what reading does.
@Suite(.heavy, .seeded) struct ValueLawTests {
    private static let count = TestLevel.current.pick(2, thorough: 10, exhaustive: 100)

    // MARK: - Help

    /// A source of values, and the stores in which a person has typed a text for the key `value`.
    enum Source: CaseIterable {
        case variable, argument, argumentOfPlatform, dotEnv, json

        func stores(_ text: String, for key: Defaults.AnyKey, in folder: TemporaryFolder) throws
            -> [any PropertyListStore]
        {
            switch self {
            case .variable: return [EnvironmentStore(prefix: "", keys: [key], environment: ["VALUE": text])]
            case .argument: return [LaunchArgumentsStore(["--value=" + text], keys: [key])]
            case .argumentOfPlatform: return [LaunchArgumentsStore(["-value", text], keys: [key])]
            case .dotEnv:
                var quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
                    "$",
                    with: "\\$"
                )
                quoted = quoted.replacing("\n", with: "\\n").replacing("\r", with: "\\r").replacing("\t", with: "\\t")
                return [try DotEnvStore(path: try folder.write("VALUE=\"\(quoted)\"\n", to: ".env"), keys: [key])]
            case .json:
                let quoted = String(decoding: JSONText.encodeOnOneLine(.string(text)), as: UTF8.self)
                return [text, quoted].compactMap { text in
                    (try? JSONText.parseTable(Array("{\"value\": \(text)}".utf8))).map { InMemoryStore($0) }
                }
            }
        }

        /// Whether a person can type a text that help shows for a value.
        func takes(_ text: String, for form: PropertyListValue) -> Bool {
            // Nobody types control characters, which help escapes.
            if text.contains(/\\(0|u\{)/) { return false }
            switch (self, form) {
            // A file has a form of its own for data, and escapes dictionaries that look like it.
            case (.json, .data): return false
            case (.json, _): return !text.contains("\"$")
            // The platform removes space around an argument, takes `-` for the beginning of another one, and reads an old-style
            // property list where there is one.
            case (.argumentOfPlatform, .string(let stored)):
                let isText = stored == text || stored == "\"\(text)\""
                return !text.hasPrefix("-") && !text.isEmpty
                    && text == text.trimmingCharacters(in: .whitespacesAndNewlines)
                    && !(isText && text.contains(/^[\{\(<"]/))
            default: return true
            }
        }
    }

    /// The default in the help text for a key; `nil` if it shows none.
    static func shownDefault(of key: Defaults.AnyKey) -> String? {
        let help = Defaults(InMemoryStore()).help([key], width: 1_000_000)
        guard
            let start = help.firstRange(of: "Default: "),
            let end = help.ranges(of: ".\n\nEach setting has its value").last
        else { return nil }
        return String(help[start.upperBound..<end.lowerBound])
    }

    @Test func `the default that help shows can be typed`() throws {
        let folder = try TemporaryFolder()
        var (wrong, shown): ([String], Int) = ([], 0)
        for value in TypedValues.table.flatMap(\.samples) {
            guard let key = value.keyWithDefault, let form = try? value.stored.get(),
                let text = Self.shownDefault(of: key)
            else { continue }
            // A text in quotation marks is meant without them.
            let content = (try? JSONText.parse(Array(text.utf8)))?.stringValue
            shown += 1
            for source in Source.allCases where source.takes(text, for: form) {
                let stores = try [text, content].compactMap(\.self).flatMap {
                    try source.stores($0, for: key, in: folder)
                }
                if stores.contains(where: { value.difference($0, "value") == nil }) { continue }
                let difference = stores.first.flatMap { value.difference($0, "value") }
                wrong.append("\(value) is shown as \(text.prefix(300)), \(source): \(difference ?? "not JSON text")")
            }
        }
        expectNone(wrong)
        #expect(shown > 100)
    }

    // MARK: - Schemas

    #if os(Linux) || os(macOS)
    private static func schema(of key: Defaults.AnyKey) -> String {
        Defaults(InMemoryStore()).describe([key]).jsonSchema
    }

    private static func document(_ form: PropertyListValue) -> String {
        String(decoding: JSONText.encode(["value": form] as PropertyListTable), as: UTF8.self)
    }

    @Test func `each value that a key writes, and each default in its schema, satisfies the schema`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let cases = try TypedValues.table.flatMap { row in
            let schema = Self.schema(of: row.key)
            return try row.values(Self.count, using: &generator).flatMap { value in
                let isDeep = value.readable?.isNestedDeeper(than: 100) ?? true
                let described = try (isDeep ? nil : value.keyWithDefault).map {
                    try JSONText.parse(Array(Self.schema(of: $0).utf8))["properties"]?["value"]?["default"]
                }
                let forms = [try? value.stored.get(), value.readable, described ?? nil].compactMap(\.self)
                return Set(forms.map(Self.document)).sorted().map {
                    SchemaValidator.Case(name: value.description, document: $0, schema: schema, isValid: true)
                }
            }
        }
        guard let failures = try SchemaValidator.failures(of: cases) else {
            try Test.cancel("Python's jsonschema is not installed")
        }
        expectNone(failures)
    }

    /// Whether a schema takes any value at some place, or a text of any form where a store does not, as that of JSON text does.
    private static func isOpen(_ schema: PropertyListValue, isText: Bool) -> Bool {
        guard let members = schema.dictionaryValue else { return false }
        let parts = ["items", "additionalProperties", "anyOf"].compactMap { members[$0] }
            .flatMap { $0.arrayValue ?? [$0] }
        if parts.isEmpty, members["enum"] == nil, members["properties"] == nil {
            let types = members["type"].map { $0.arrayValue ?? [$0] } ?? []
            return types.isEmpty || types.contains("string") && members["pattern"] == nil && !isText
        }
        return parts.contains { isOpen($0, isText: isText) }
    }

    /// The forms that a schema and a store cannot agree on: a whole real is an integer for a schema, an object that looks like a value
    /// of another kind is an object, and the bounds of 64 bits are those of no number.
    private static func isDisputed(_ document: String) -> Bool {
        document.contains(/"\$(data|date|real|dictionary)"|[0-9]\.0[^0-9]|[0-9]e|[0-9]{16}/)
    }

    @Test func `each value that a schema takes is read, unless it is open`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let samples = TypedValues.table.flatMap(\.samples)
        let forms = samples.compactMap { try? $0.stored.get() } + samples.compactMap(\.readable)
        let count = TestLevel.current.pick(20, thorough: 200, exhaustive: 1_000)
        let cases = try TypedValues.table.flatMap { row -> [SchemaValidator.Case] in
            let schema = Self.schema(of: row.key)
            let entry = try JSONText.parse(Array(schema.utf8))["properties"]?["value"]
            let isText = row.name.contains(/String|Tag|Target|List|Basket/)
            // No pattern has the order of bounds, JSON text, addresses of version 6, whole bytes and exact digits; names have none.
            let isRough = row.name.contains(/Range<|Duration|HostAndPort|ByteCount|Decimal|^Dictionary<(?!String)/)
            guard let entry, !isRough, !Self.isOpen(entry, isText: isText)
            else { return [] }
            let own = row.samples.compactMap { try? $0.stored.get() } + row.samples.compactMap(\.readable)
            return (0..<count).compactMap { number in
                let isOwn = number.isMultiple(of: 2) && !own.isEmpty
                let form = (isOwn ? own : forms).randomElement(using: &generator) ?? 1
                let document = Self.document(Bool.random(using: &generator) ? form.damaged(using: &generator) : form)
                guard !form.isNestedDeeper(than: 64), !Self.isDisputed(document),
                    let table = try? JSONText.parseTable(Array(document.utf8)),
                    case .failure(let error) = row.read(InMemoryStore(table), "value")
                else { return nil }
                return SchemaValidator.Case(
                    name: "\(row): \(error)",
                    document: document,
                    schema: schema,
                    isValid: false
                )
            }
        }
        guard let failures = try SchemaValidator.failures(of: cases) else {
            try Test.cancel("Python's jsonschema is not installed")
        }
        expectNone(failures)
        #expect(cases.count > 100)
    }
    #endif

    // MARK: - Coercion

    /// A type whose values are converted from text: alone, as an element, and under each kind of name.
    ///
    /// Data is left out: only the text of a whole value can be an old-style property list.
    struct Scalar: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The stored forms of what each place makes of a text, or `nil` where it is not read.
        let forms: @Sendable (String) -> [(place: String, form: PropertyListValue?)]

        /// - Parameters:
        ///   - type: The type of the values.
        ///   - hasJSONForm: Whether dictionaries whose names are not strings store the type as JSON text of another form, which they
        ///     also read.
        init<Value: Defaults.Serializable & SendableMetatype>(_ type: Value.Type, hasJSONForm: Bool = false) {
            testDescription = "\(type)"
            forms = { text in
                let quoted = String(decoding: JSONText.encodeOnOneLine(.string(text)), as: UTF8.self)
                func read<Whole>(
                    _ place: String,
                    _ key: Defaults.Key<Whole?>,
                    _ text: String,
                    _ part: (Whole) -> Value?
                ) -> (place: String, form: PropertyListValue?) {
                    let store = EnvironmentStore(prefix: "", keys: [key], environment: ["VALUE": text])
                    let whole = (try? Defaults(store).value(for: key)) ?? nil
                    return (place, whole.flatMap(part).flatMap { Value.toSerializable($0) })
                }
                let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                let places = [
                    read("alone", Defaults.Key<Value?>("value"), text) { $0 },
                    read("an array", Defaults.Key<[Value]?>("value"), "[\(quoted)]") { $0.first },
                    read("a name", Defaults.Key<[String: Value]?>("value"), "{\"a\": \(quoted)}") { $0["a"] },
                    read("a number", Defaults.Key<[Int: Value]?>("value"), "{\"7\": \(quoted)}") { $0[7] },
                    read("a case", Defaults.Key<[Colour: Value]?>("value"), "{\"red\": \(quoted)}") { $0[.red] },
                    read("a UUID", Defaults.Key<[UUID: Value]?>("value"), "{\"\(id)\": \(quoted)}") { $0[id] },
                ]
                return hasJSONForm ? Array(places.prefix(3)) : places
            }
        }
    }

    static let scalars = [
        Scalar(Bool.self), Scalar(Int.self), Scalar(Int8.self), Scalar(UInt64.self), Scalar(Double.self),
        Scalar(Float.self), Scalar(Decimal.self), Scalar(Date.self, hasJSONForm: true), Scalar(UUID.self),
        Scalar(Duration.self), Scalar(Defaults.ByteCount.self), Scalar(Defaults.Percentage.self),
        Scalar(Defaults.IPAddress.self), Scalar(Defaults.HostAndPort.self), Scalar(Colour.self), Scalar(Size.self),
        Scalar(URL.self),
    ]

    private static let texts = [
        "yes", "YES", "no", "true", "TRUE", "1", "0", "10", "+5", "-0", "08", "007", ".5", "5.", "1e3", "1E+3",
        "1e-400",
        "1e-60", "1e39", "1e400", "16777217", "9007199254740993", "127", "128", "18446744073709551615", "inf", "nan",
        "0x1F",
        "", " 12 ", "\"80\"", "\"yes\"", "'80'", "12abc", "1.10", "1,5", "<0fbd>", "<>", "(80)", "{}", "[]", "null",
        "2026-11-21T10:50:00Z", "2026-02-30T00:00:00Z", "5s", "1h30m", "\"5s\"", "64KiB", "80%", "::1", "[::1]:80",
        "a:1",
        "red", "\"red\"", "{\"width\":2}", "https://a.b/c", "/a b", "~/a", "00000000-0000-0000-0000-0000000000AB",
        "\"00000000-0000-0000-0000-0000000000AB\"",
    ]

    @Test(arguments: scalars)
    func `a text is converted by the same rules wherever it stands`(scalar: Scalar) {
        let samples = TypedValues.table.flatMap(\.samples).compactMap { try? $0.stored.get().stringValue }
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let more = samples.shuffled(using: &generator).prefix(TestLevel.current.pick(20, thorough: 1_000))
        let wrong = (Self.texts + more).flatMap { text in
            let forms = scalar.forms(text)
            return forms.dropFirst().filter { $0.form != forms[0].form }.map { place, form in
                let (alone, there) = (forms[0].form.map { "\($0)" }, form.map { "\($0)" })
                return
                    "\(String(reflecting: text)) is \(alone ?? "refused") alone, and \(there ?? "refused") under \(place)"
            }
        }
        expectNone(wrong)
    }
}
