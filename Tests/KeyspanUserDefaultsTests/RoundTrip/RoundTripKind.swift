import Foundation
import KeyspanCore
import KeyspanTesting
import KeyspanUserDefaults
import Testing

/// One value of some type, with its writer, its reader, and the comparison of both.
struct RoundTrip {
    /// The value in words, for a failure.
    let description: String
    /// The value in a memory store.
    let stored: PropertyListValue?
    /// Writes it under a name.
    let write: (any PropertyListStore, String) throws(Defaults.WriteError) -> Void
    /// Why what is read under a name is not it; `nil` if it is.
    let difference: (any PropertyListStore, String) -> String?

    init<Value: Equatable>(_ value: Value, _ makeKey: @escaping (String) -> Defaults.Key<Value?>) {
        func stored(_ value: Value?) -> PropertyListValue? {
            let store = InMemoryStore()
            do {
                try Defaults(store).set(value, for: makeKey("key"))
            } catch {
                return nil
            }
            return store.value(forKey: "key")
        }
        let form = stored(value)
        description = "\(String(reflecting: value)) as \(form.map(String.init(reflecting:)) ?? "nothing")"
        self.stored = form
        write = { (store, name) throws(Defaults.WriteError) in
            try Defaults(store).set(value, for: makeKey(name))
        }
        difference = { store, name in
            do {
                guard let read = try Defaults(store).value(for: makeKey(name)) else { return "nothing was read" }
                if read != value { return "\(String(reflecting: read)) was read" }
                // Equal texts can differ in their bytes; stored ones are compared by them.
                return stored(read) == form ? nil : "\(String(reflecting: stored(read))) would be stored anew"
            } catch {
                return "\(error)"
            }
        }
    }
}

/// A type of values, with what makes one of them.
struct RoundTripKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let random: @Sendable (inout SeededGenerator) -> RoundTrip?

    /// A type whose key takes its bridge.
    init<Value: Defaults.Serializable & Equatable & SendableMetatype>(
        _ testDescription: String,
        _ value: @escaping @Sendable (inout SeededGenerator) -> Value?
    ) {
        self.init(testDescription, key: { Defaults.Key<Value?>($0) }, value)
    }

    /// A type with another key.
    init<Value: Equatable & SendableMetatype>(
        _ testDescription: String,
        key: @escaping @Sendable (String) -> Defaults.Key<Value?>,
        _ value: @escaping @Sendable (inout SeededGenerator) -> Value?
    ) {
        self.testDescription = testDescription
        random = { generator in value(&generator).map { RoundTrip($0, key) } }
    }
}

extension RoundTripKind {
    private static func text(_ generator: inout SeededGenerator) -> String { HostileTexts.random(using: &generator) }

    private static func texts(_ generator: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in text(&generator) }
    }

    /// Texts of which none is equal to another one.
    private static func names(_ generator: inout SeededGenerator) -> [String] { Array(Set(texts(&generator))) }

    private static func dictionary<Element>(
        _ generator: inout SeededGenerator,
        _ element: (inout SeededGenerator) -> Element
    ) -> [String: Element] {
        names(&generator).reduce(into: [:]) { $0[$1] = element(&generator) }
    }

    private static func numbered<Element>(
        _ generator: inout SeededGenerator,
        _ element: (inout SeededGenerator) -> Element
    ) -> [Int: Element] {
        (0..<Int.random(in: 0..<3, using: &generator)).reduce(into: [:]) { $0[$1 * 100 - 100] = element(&generator) }
    }

    private static func integer<Integer: FixedWidthInteger>(_ generator: inout SeededGenerator) -> Integer {
        [0, 1, .min, .max, .random(in: .min ... .max, using: &generator)].randomElement(using: &generator) ?? 0
    }

    private static func real(_ generator: inout SeededGenerator) -> Double {
        let special = [0, -0.0, 1, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        return special.randomElement(using: &generator) ?? 0
    }

    private static func uuid(_ generator: inout SeededGenerator) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012x", generator.next() >> 16)) ?? UUID()
    }

    /// Every kind of value that keys have, and every bridge.
    static let all: [RoundTripKind] = [texts, collections, codable, others, scalars].flatMap(\.self)

    private static let texts: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.append(RoundTripKind("text", text))
        kinds.append(RoundTripKind("raw-representable text") { Tag(rawValue: text(&$0)) })
        kinds.append(RoundTripKind("raw-representable text that is Codable") { PreferredTag(rawValue: text(&$0)) })
        kinds.append(RoundTripKind("converted text") { Converted(text: text(&$0)) })
        kinds.append(
            RoundTripKind(
                "text of another key",
                key: {
                    Defaults.Key<Tag?>.rawRepresentable(represented: Defaults.Key<String?>.string(Defaults.KeyName($0)))
                }
            ) {
                Tag(rawValue: text(&$0))
            }
        )
        kinds.append(
            RoundTripKind("coerced text", key: { Defaults.Key<String?>.string(coercing: Defaults.KeyName($0)) }, text)
        )
        kinds.append(RoundTripKind("any value") { Defaults.AnySerializable(PropertyListValue.string(text(&$0))) })
        kinds.append(RoundTripKind("data") { Data(text(&$0).utf8) })
        return kinds
    }()

    private static let collections: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.append(RoundTripKind("list", texts))
        kinds.append(RoundTripKind("list of lists") { [texts(&$0), texts(&$0)] })
        kinds.append(RoundTripKind("set") { Set(names(&$0)) })
        kinds.append(RoundTripKind("own list") { OwnList(texts(&$0)) })
        kinds.append(
            RoundTripKind("range of texts") { generator in
                let bounds = [text(&generator), text(&generator)].sorted()
                return bounds[0]...bounds[1]
            }
        )
        kinds.append(RoundTripKind("dictionary") { dictionary(&$0, text) })
        kinds.append(RoundTripKind("dictionary of lists") { dictionary(&$0, texts) })
        kinds.append(RoundTripKind("dictionary of dictionaries") { dictionary(&$0) { dictionary(&$0, text) } })
        kinds.append(RoundTripKind("dictionary of data") { dictionary(&$0) { Data(text(&$0).utf8) } })
        kinds.append(RoundTripKind("dictionary of reals") { dictionary(&$0, real) })
        kinds.append(RoundTripKind("numbered texts") { numbered(&$0, text) })
        kinds.append(RoundTripKind("numbered lists") { numbered(&$0, texts) })
        kinds.append(RoundTripKind("numbered dictionaries") { numbered(&$0) { dictionary(&$0, text) } })
        kinds.append(RoundTripKind("numbered optionals") { numbered(&$0) { Optional(text(&$0)) } })
        kinds.append(RoundTripKind("numbered reals") { numbered(&$0) { Double(integer(&$0) as Int32) / 8 } })
        kinds.append(RoundTripKind("numbered data") { numbered(&$0) { Data(text(&$0).utf8) } })
        kinds.append(RoundTripKind("numbered records") { numbered(&$0) { Record(text: text(&$0)) } })
        kinds.append(
            RoundTripKind("dictionary by characters") { generator in
                Set(text(&generator)).reduce(into: [Character: String]()) { $0[$1] = text(&generator) }
            }
        )
        kinds.append(
            RoundTripKind("dictionary by raw values", key: { Defaults.Key<[Tag: String]?>($0) }) { generator in
                names(&generator).reduce(into: [:]) { $0[Tag(rawValue: $1)] = text(&generator) }
            }
        )
        kinds.append(
            RoundTripKind("dictionary by UUIDs", key: { Defaults.Key<[UUID: [String]]?>($0) }) {
                [uuid(&$0): texts(&$0)]
            }
        )
        return kinds
    }()

    private static let codable: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.append(
            RoundTripKind("JSON text") { Record(text: text(&$0), other: text(&$0), texts: dictionary(&$0, texts)) }
        )
        kinds.append(
            RoundTripKind("JSON in data", key: { Defaults.Key<Record?>.jsonCoded(Defaults.KeyName($0), as: .data) }) {
                Record(text: text(&$0))
            }
        )
        kinds.append(
            RoundTripKind("JSON text of a text", key: { Defaults.Key<String?>.jsonCoded(Defaults.KeyName($0)) }, text)
        )
        kinds.append(
            RoundTripKind("structured value") {
                StructuredRecord(text: text(&$0), texts: dictionary(&$0) { [text(&$0), nil] })
            }
        )
        kinds.append(RoundTripKind("structured text") { StructuredText(text: text(&$0)) })
        kinds.append(RoundTripKind("structured numbered texts") { StructuredNumbers(texts: numbered(&$0, text)) })
        kinds.append(RoundTripKind("enumeration of texts") { Level.allCases.randomElement(using: &$0) })
        kinds.append(RoundTripKind("enumeration of numbers") { NumberedLevel.allCases.randomElement(using: &$0) })
        kinds.append(RoundTripKind("enumeration of cases") { PlainLevel.allCases.randomElement(using: &$0) })
        kinds.append(
            RoundTripKind("set of enumerations") { generator in
                Set(PlainLevel.allCases.filter { _ in Bool.random(using: &generator) })
            }
        )
        kinds.append(RoundTripKind("number as JSON text") { CodableNumber(number: integer(&$0)) })
        kinds.append(RoundTripKind("text as JSON text") { CodableText(text: text(&$0)) })
        kinds.append(RoundTripKind("dictionary of JSON texts") { dictionary(&$0) { CodableText(text: text(&$0)) } })
        kinds.append(
            RoundTripKind("record of human forms") {
                TimedRecord(
                    timeout: .nanoseconds(integer(&$0) as Int64),
                    limit: Defaults.ByteCount(integer(&$0)),
                    level: PlainLevel.allCases.randomElement(using: &$0)
                )
            }
        )
        kinds.append(RoundTripKind("list of JSON texts") { [Record(text: text(&$0)), Record(text: text(&$0))] })
        return kinds
    }()

    private static let others: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.append(RoundTripKind("URL") { URL(string: text(&$0)) })
        kinds.append(
            RoundTripKind("URL with a base") { URL(string: text(&$0), relativeTo: URL(string: "http://a.b/c")) }
        )
        kinds.append(
            RoundTripKind("URL of a file") { generator in
                URL(filePath: "/" + text(&generator).unicodeScalars.filter { $0 != "\0" }.map { String($0) }.joined())
            }
        )
        kinds.append(RoundTripKind("list of URLs") { [URL(string: text(&$0)) ?? URL(filePath: "/")] })
        kinds.append(
            RoundTripKind("coerced URL", key: { Defaults.Key<URL?>.url(coercing: Defaults.KeyName($0)) }) {
                URL(string: text(&$0))
            }
        )
        kinds.append(
            RoundTripKind("structured URL") { generator in URL(string: text(&generator)).map { StructuredURL(url: $0) }
            }
        )
        kinds.append(RoundTripKind("duration") { Duration.nanoseconds(integer(&$0) as Int64) })
        kinds.append(RoundTripKind("number of bytes") { Defaults.ByteCount(integer(&$0)) })
        kinds.append(RoundTripKind("percentage") { Defaults.Percentage(Double(integer(&$0) as Int32) / 8) })
        kinds.append(
            RoundTripKind("address") { Defaults.IPAddress("2001:db8::\(String(integer(&$0) as UInt16, radix: 16))") }
        )
        kinds.append(
            RoundTripKind("host and port") {
                Defaults.HostAndPort(host: "db-\(integer(&$0) as UInt16)", port: integer(&$0))
            }
        )
        kinds.append(RoundTripKind("time zone") { TimeZone(secondsFromGMT: Int(integer(&$0) as Int8) * 60) })
        kinds.append(RoundTripKind("locale") { Locale(identifier: text(&$0)) })
        kinds.append(RoundTripKind("UUID", uuid))
        kinds.append(RoundTripKind("decimal") { Decimal(string: "\(integer(&$0) as Int64).\(integer(&$0) as UInt16)") })
        kinds.append(
            RoundTripKind("any property list") { generator in
                PropertyListValue.dictionary(
                    PropertyListDictionary(
                        dictionary(&generator) { .random(using: &$0) }.map { (key: $0.key, value: $0.value) }
                    )
                )
            }
        )
        return kinds
    }()

    private static let scalars: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.append(RoundTripKind("truth value") { Bool.random(using: &$0) })
        kinds.append(RoundTripKind("Int", integer as @Sendable (inout SeededGenerator) -> Int))
        kinds.append(RoundTripKind("Int8", integer as @Sendable (inout SeededGenerator) -> Int8))
        kinds.append(RoundTripKind("UInt64", integer as @Sendable (inout SeededGenerator) -> UInt64))
        kinds.append(RoundTripKind("Double", real))
        kinds.append(RoundTripKind("Float") { Float(real(&$0)) })
        kinds.append(
            RoundTripKind("date") { Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e10, using: &$0)) }
        )
        kinds.append(
            RoundTripKind("whole date") { Date(timeIntervalSinceReferenceDate: Double(integer(&$0) as Int32)) }
        )
        kinds.append(
            RoundTripKind("list of dates") { [Date(timeIntervalSinceReferenceDate: Double(integer(&$0) as Int32) / 8)] }
        )
        kinds.append(
            RoundTripKind("numbered dates") {
                numbered(&$0) { Date(timeIntervalSinceReferenceDate: Double(integer(&$0) as Int32)) }
            }
        )
        kinds.append(RoundTripKind("range") { 0..<(Int.random(in: 0..<100, using: &$0)) })
        kinds.append(RoundTripKind("numbered integers") { numbered(&$0) { integer(&$0) as Int } })
        kinds.append(
            RoundTripKind("coerced integer", key: { Defaults.Key<Int?>.coercing(Defaults.KeyName($0)) }) {
                integer(&$0) as Int
            }
        )
        return kinds
    }()
}
