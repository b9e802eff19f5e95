import Configuration
import Foundation
import KeyspanConfiguration
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Values that pass from a store through a provider into a store above it.
@Suite(.seeded)
struct RoundTripTests {
    private static let runs = TestLevel.current.pick(40, thorough: 2_000, exhaustive: 50_000)

    @Test(arguments: Kind.all)
    func `a key reads the value that another one has written`(_ kind: Kind) throws {
        for seed in SeededGenerator.seeds(Self.runs) {
            var generator = SeededGenerator(seed: seed)
            if let difference = kind.difference(&generator) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    /// A type of values, with one of them after the other.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let difference: @Sendable (inout SeededGenerator) -> String?

        init<Value: Defaults.Serializable & Equatable & Sendable>(
            _ make: @escaping @Sendable (inout SeededGenerator) -> Value
        ) {
            testDescription = "\(Value.self)"
            difference = { generator in
                let value = make(&generator)
                let key = Defaults.Key<Value?>("group.key")
                let source = Defaults(InMemoryStore())
                source[key] = value
                let provider = KeyspanProvider(source.store, keys: [key])
                let stores: [any PropertyListStore] = [
                    ConfigurationStore(provider, keys: [key], isWatching: false),
                    ConfigurationStore(ConfigReader(provider: provider), keys: [key], isWatching: false),
                ]
                do {
                    for store in stores {
                        let read = try Defaults(store).value(for: key)
                        if read != value { return "\(value) was written, and \(String(describing: read)) read" }
                    }
                    let read = try ConfigReader(provider: provider).value(for: key)
                    return read == value
                        ? nil : "\(value) was written, and \(String(describing: read)) read by a reader"
                } catch {
                    return "\(value) was written: \(error)"
                }
            }
        }
    }
}

extension RoundTripTests.Kind {
    private enum Level: Int, CaseIterable, Defaults.Serializable {
        case low = 1
        case high = 2
    }

    private enum Theme: String, CaseIterable, Defaults.Serializable {
        case light
        case dark
    }

    private struct Account: Codable, Equatable, Defaults.Serializable {
        var name: String
        var scores: [Int]
        var theme: String?
    }

    private static func integer<Integer: FixedWidthInteger>(_ generator: inout SeededGenerator) -> Integer {
        [0, 1, .min, .max, .random(in: .min ... .max, using: &generator)].randomElement(using: &generator) ?? 0
    }

    private static func real(_ generator: inout SeededGenerator) -> Double {
        let any = Double(bitPattern: generator.next())
        return [0, 1, 0.1, Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, any.isFinite ? any : 2]
            .randomElement(using: &generator) ?? 0
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let parts = [
            "", "a", ",", "=", "\"", "\\", "{", "[", "(1)", "<00>", "5s", "true", "é", "e\u{301}", "\n", " ", "\u{0}",
        ]
        return (0..<Int.random(in: 0..<5, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
            .joined()
    }

    private static func list<Element>(
        _ generator: inout SeededGenerator,
        _ element: (inout SeededGenerator) -> Element
    ) -> [Element] {
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in element(&generator) }
    }

    private static func named<Element>(
        _ generator: inout SeededGenerator,
        _ element: (inout SeededGenerator) -> Element
    ) -> [String: Element] {
        list(&generator, text).reduce(into: [:]) { $0[$1] = element(&generator) }
    }

    private static func date(_ generator: inout SeededGenerator) -> Date {
        Date(timeIntervalSince1970: Double(Int64.random(in: -60_000_000_000...200_000_000_000, using: &generator)) / 4)
    }

    private static func duration(_ generator: inout SeededGenerator) -> Duration {
        .milliseconds(Int64.random(in: -100_000_000...100_000_000, using: &generator))
    }

    static let all: [RoundTripTests.Kind] = scalars + lists + others

    private static let scalars: [RoundTripTests.Kind] = [
        .init { Bool.random(using: &$0) },
        .init { integer(&$0) as Int },
        .init { integer(&$0) as Int8 },
        .init { integer(&$0) as UInt64 },
        .init { [.infinity, -.infinity, -0.0, real(&$0)].randomElement(using: &$0) ?? 0 as Double },
        .init { Float(sign: .plus, exponent: Int.random(in: -20...20, using: &$0), significand: 1.5) },
        .init { text(&$0) },
        .init { Data(text(&$0).utf8) },
        .init(date),
        .init(duration),
        .init { Decimal(Int64.random(in: -1_000_000...1_000_000, using: &$0)) / 1000 },
        .init { _ in UUID() },
        .init { Defaults.ByteCount(integer(&$0)) },
        .init { Level.allCases.randomElement(using: &$0) ?? .low },
        .init { Theme.allCases.randomElement(using: &$0) ?? .light },
        .init { URL(filePath: "/a/\(Int.random(in: 0...9, using: &$0))") },
    ]

    private static let lists: [RoundTripTests.Kind] = [
        .init { list(&$0) { Bool.random(using: &$0) } },
        .init { list(&$0) { integer(&$0) as Int } },
        .init { list(&$0) { integer(&$0) as UInt64 } },
        .init { list(&$0, real) },
        .init { list(&$0, text) },
        .init { list(&$0) { Data(text(&$0).utf8) } },
        .init { list(&$0, date) },
        .init { list(&$0, duration) },
        .init { list(&$0) { Level.allCases.randomElement(using: &$0) ?? .low } },
        .init { list(&$0) { list(&$0) { integer(&$0) as Int } } },
        .init { list(&$0) { list(&$0, text) } },
        .init { Set(list(&$0) { integer(&$0) as Int }) },
        .init { Set(list(&$0) { Theme.allCases.randomElement(using: &$0) ?? .dark }) },
    ]

    private static let others: [RoundTripTests.Kind] = [
        .init { named(&$0) { integer(&$0) as Int } },
        .init { named(&$0, real) },
        .init { named(&$0, text) },
        .init { named(&$0) { list(&$0, text) } },
        .init { named(&$0, duration) },
        .init { generator in
            let bounds = [integer(&generator) as Int, integer(&generator) as Int].sorted()
            return bounds[0]...bounds[1]
        },
        .init { generator in
            let scores = list(&generator) { integer(&$0) as Int }
            return Account(name: text(&generator), scores: scores, theme: Bool.random(using: &generator) ? "x" : nil)
        },
        .init { list(&$0) { Account(name: text(&$0), scores: [], theme: nil) } },
    ]
}
