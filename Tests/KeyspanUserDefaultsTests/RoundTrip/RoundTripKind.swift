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
struct RoundTripKind: Sendable {
    let random: @Sendable (inout SeededGenerator) -> RoundTrip?
}

extension [RoundTripKind] {
    /// Adds a type whose key takes its bridge.
    fileprivate mutating func add<Value: Defaults.Serializable & Equatable & SendableMetatype>(
        _ value: @escaping @Sendable (inout SeededGenerator) -> Value?
    ) {
        add(key: { Defaults.Key<Value?>($0) }, value)
    }

    /// Adds a type with another key.
    fileprivate mutating func add<Value: Equatable & SendableMetatype>(
        key: @escaping @Sendable (String) -> Defaults.Key<Value?>,
        _ value: @escaping @Sendable (inout SeededGenerator) -> Value?
    ) {
        append(RoundTripKind { generator in value(&generator).map { RoundTrip($0, key) } })
    }
}

extension RoundTripKind {
    private static func text(_ generator: inout SeededGenerator) -> String { HostileTexts.random(using: &generator) }

    private static func texts(_ generator: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in text(&generator) }
    }

    /// Texts of which none is equal to another one.
    private static func names(_ generator: inout SeededGenerator) -> [String] { Set(texts(&generator)).sorted() }

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
        kinds.add(text)
        kinds.add { Tag(rawValue: text(&$0)) }
        kinds.add { PreferredTag(rawValue: text(&$0)) }
        kinds.add { Converted(text: text(&$0)) }
        kinds.add(key: { .rawRepresentable(represented: Defaults.Key<String?>.string(Defaults.KeyName($0))) }) {
            Tag(rawValue: text(&$0))
        }
        kinds.add(key: { Defaults.Key<String?>.string(coercing: Defaults.KeyName($0)) }, text)
        kinds.add { Defaults.AnySerializable(PropertyListValue.string(text(&$0))) }
        kinds.add { Data(text(&$0).utf8) }
        return kinds
    }()

    private static let collections: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.add(texts)
        kinds.add { [texts(&$0), texts(&$0)] }
        kinds.add { Set(names(&$0)) }
        kinds.add { OwnList(texts(&$0)) }
        kinds.add { generator in
            let bounds = [text(&generator), text(&generator)].sorted()
            return bounds[0]...bounds[1]
        }
        kinds.add { dictionary(&$0, text) }
        kinds.add { dictionary(&$0, texts) }
        kinds.add { dictionary(&$0) { dictionary(&$0, text) } }
        kinds.add { dictionary(&$0) { Data(text(&$0).utf8) } }
        kinds.add { dictionary(&$0, real) }
        kinds.add { numbered(&$0, text) }
        kinds.add { numbered(&$0, texts) }
        kinds.add { numbered(&$0) { dictionary(&$0, text) } }
        kinds.add { numbered(&$0) { Optional(text(&$0)) } }
        kinds.add { numbered(&$0) { Double(integer(&$0) as Int32) / 8 } }
        kinds.add { numbered(&$0) { Data(text(&$0).utf8) } }
        kinds.add { numbered(&$0) { Record(text: text(&$0)) } }
        kinds.add { generator in
            Set(text(&generator)).sorted().reduce(into: [Character: String]()) { $0[$1] = text(&generator) }
        }
        kinds.add(key: { Defaults.Key<[Tag: String]?>($0) }) { generator in
            names(&generator).reduce(into: [:]) { $0[Tag(rawValue: $1)] = text(&generator) }
        }
        kinds.add(key: { Defaults.Key<[UUID: [String]]?>($0) }) { [uuid(&$0): texts(&$0)] }
        return kinds
    }()

    private static let codable: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.add { Record(text: text(&$0), other: text(&$0), texts: dictionary(&$0, texts)) }
        kinds.add(key: { .jsonCoded(Defaults.KeyName($0), as: .data) }) { Record(text: text(&$0)) }
        kinds.add(key: { Defaults.Key<String?>.jsonCoded(Defaults.KeyName($0)) }, text)
        kinds.add { StructuredRecord(text: text(&$0), texts: dictionary(&$0) { [text(&$0), nil] }) }
        kinds.add { StructuredText(text: text(&$0)) }
        kinds.add { StructuredNumbers(texts: numbered(&$0, text)) }
        kinds.add { Level.allCases.randomElement(using: &$0) }
        kinds.add { NumberedLevel.allCases.randomElement(using: &$0) }
        kinds.add { PlainLevel.allCases.randomElement(using: &$0) }
        kinds.add { generator in Set(PlainLevel.allCases.filter { _ in Bool.random(using: &generator) }) }
        kinds.add { CodableNumber(number: integer(&$0)) }
        kinds.add { CodableText(text: text(&$0)) }
        kinds.add { dictionary(&$0) { CodableText(text: text(&$0)) } }
        kinds.add {
            TimedRecord(
                timeout: .nanoseconds(integer(&$0) as Int64),
                limit: Defaults.ByteCount(integer(&$0)),
                level: PlainLevel.allCases.randomElement(using: &$0)
            )
        }
        kinds.add { [Record(text: text(&$0)), Record(text: text(&$0))] }
        return kinds
    }()

    private static let others: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.add { URL(string: text(&$0)) }
        kinds.add { URL(string: text(&$0), relativeTo: URL(string: "http://a.b/c")) }
        kinds.add { URL(filePath: "/" + HostileTexts.withoutNull(text(&$0))) }
        kinds.add { [URL(string: text(&$0)) ?? URL(filePath: "/")] }
        kinds.add(key: { Defaults.Key<URL?>.url(coercing: Defaults.KeyName($0)) }) { URL(string: text(&$0)) }
        kinds.add { URL(string: text(&$0)).map { StructuredURL(url: $0) } }
        kinds.add { Duration.nanoseconds(integer(&$0) as Int64) }
        kinds.add { Defaults.ByteCount(integer(&$0)) }
        kinds.add { Defaults.Percentage(Double(integer(&$0) as Int32) / 8) }
        kinds.add { Defaults.IPAddress("2001:db8::\(String(integer(&$0) as UInt16, radix: 16))") }
        kinds.add { Defaults.HostAndPort(host: "db-\(integer(&$0) as UInt16)", port: integer(&$0)) }
        kinds.add { TimeZone(secondsFromGMT: Int(integer(&$0) as Int8) * 60) }
        kinds.add { Locale(identifier: text(&$0)) }
        kinds.add(uuid)
        kinds.add { Decimal(string: "\(integer(&$0) as Int64).\(integer(&$0) as UInt16)") }
        kinds.add { generator in
            let entries = dictionary(&generator) { PropertyListValue.random(using: &$0) }
            return PropertyListValue.dictionary(PropertyListDictionary(entries.map { (key: $0.key, value: $0.value) }))
        }
        return kinds
    }()

    private static func date(_ generator: inout SeededGenerator) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(integer(&generator) as Int32))
    }

    private static let scalars: [RoundTripKind] = {
        var kinds: [RoundTripKind] = []
        kinds.add { Bool.random(using: &$0) }
        kinds.add(integer as @Sendable (inout SeededGenerator) -> Int)
        kinds.add(integer as @Sendable (inout SeededGenerator) -> Int8)
        kinds.add(integer as @Sendable (inout SeededGenerator) -> UInt64)
        kinds.add(real)
        kinds.add { Float(real(&$0)) }
        kinds.add { Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e10, using: &$0)) }
        kinds.add(date)
        kinds.add { [Date(timeIntervalSinceReferenceDate: Double(integer(&$0) as Int32) / 8)] }
        kinds.add { numbered(&$0, date) }
        kinds.add { 0..<(Int.random(in: 0..<100, using: &$0)) }
        kinds.add { numbered(&$0) { integer(&$0) as Int } }
        kinds.add(key: { Defaults.Key<Int?>.coercing(Defaults.KeyName($0)) }) { integer(&$0) as Int }
        return kinds
    }()
}
