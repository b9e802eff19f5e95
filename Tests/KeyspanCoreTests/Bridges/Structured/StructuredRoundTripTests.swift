import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The laws that hold for all `Codable` values, tried with random ones.
@Suite(.seeded) struct StructuredRoundTripTests {
    /// Checks a law for random documents and their structured forms, until one breaks it.
    private func check(
        _ law: (_ document: Document, _ form: PropertyListValue, inout SeededGenerator) throws -> Bool
    ) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(40, thorough: 400)) {
            var generator = SeededGenerator(seed: seed)
            let document = Document.random(levels: 2, using: &generator)
            let form = try PropertyListValueEncoder().encode(document)
            try #require(try law(document, form, &generator), "seed \(seed): \(form)")
        }
    }

    @Test func `a random document reads back as it was`() throws {
        try check { document, form, _ in try PropertyListValueDecoder().decode(Document.self, from: form) == document }
    }

    @Test func `the structured form has the collections and names of the JSON`() throws {
        try check { document, form, _ in
            let json = try JSONDecoder().decode(Outline.self, from: JSONEncoder().encode(document))
            return try PropertyListValueDecoder().decode(Outline.self, from: form) == json
        }
    }

    @Test func `the JSON text has the bytes that JSONEncoder writes`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try check { document, _, _ in
            let text = String(decoding: try encoder.encode(document), as: UTF8.self)
            return try Document.bridge.encode(document) == .string(text)
        }
    }

    @Test func `a stored form of another shape is an error or a value, never a crash`() throws {
        try check { _, form, generator in
            let damaged = Self.damage(form, using: &generator)
            do {
                let value = try PropertyListValueDecoder().decode(Document.self, from: damaged)
                // Every readable value can be written, and reads back as the same value.
                let again = try PropertyListValueEncoder().encode(value)
                return try PropertyListValueDecoder().decode(Document.self, from: again) == value
            } catch {
                return error is ValueDecodingError
            }
        }
    }

    /// The value with some of its parts replaced or removed.
    private static func damage(
        _ value: PropertyListValue,
        using generator: inout SeededGenerator
    ) -> PropertyListValue {
        if Int.random(in: 0..<8, using: &generator) == 0 {
            return ["$null", true, 1, 1.5, [], [:], .data(Data())].randomElement(using: &generator) ?? "$null"
        }
        switch value {
        case .array(let elements):
            return .array(elements.map { damage($0, using: &generator) })
        case .dictionary(let entries):
            let kept = entries.sorted { $0.key < $1.key }.filter { _ in Int.random(in: 0..<8, using: &generator) > 0 }
            return .dictionary(kept.reduce(into: [:]) { $0[$1.key] = damage($1.value, using: &generator) })
        default: return value
        }
    }
}

/// A value that refers to its own type in every way there is.
private struct Document: Codable, Hashable, Defaults.Serializable {
    var flag: Bool
    var number: Int64
    var natural: UInt64
    var ratio: Double
    var single: Float?
    var wide: Int128
    var price: Decimal
    var home: URL?
    var text: String
    var texts: [String?]
    var date: Date
    var data: Data?
    var shape: Shape
    var byNumber: [Int: String]
    var byName: [String: Int?]
    var parts: [Document]
    var named: [String: Document]
    var maybe: [Document?]
    var box: Envelope<Int?>

    static func random(levels: Int, using generator: inout SeededGenerator) -> Document {
        let parts = (0..<(levels > 0 ? Int.random(in: 0...2, using: &generator) : 0)).map { _ in
            Document.random(levels: levels - 1, using: &generator)
        }
        let shapes: [Shape] = [.point, .circle(radius: 0.5), .line(1, nil), .line(-1, 2)]
        return Document(
            flag: .random(using: &generator),
            number: .random(in: .min ... .max, using: &generator),
            natural: .random(in: .min ... .max, using: &generator),
            ratio: .random(in: -1e9...1e9, using: &generator),
            single: Bool.random(using: &generator) ? .random(in: -1...1, using: &generator) : nil,
            wide: [Int128.min, -1, 1 << 63, .max].randomElement(using: &generator) ?? 0,
            price: Decimal(Int.random(in: -9_999...9_999, using: &generator)) / 1_000,
            home: URL(string: "https://example.com/a?b=c"),
            text: text(using: &generator),
            texts: (0..<3).map { _ in Bool.random(using: &generator) ? text(using: &generator) : nil },
            date: Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator)),
            data: Bool.random(using: &generator) ? Data([1, .random(in: 0...255, using: &generator)]) : nil,
            shape: shapes.randomElement(using: &generator) ?? .point,
            byNumber: [.random(in: -9...9, using: &generator): text(using: &generator)],
            byName: [text(using: &generator): Bool.random(using: &generator) ? 1 : nil],
            parts: parts,
            named: parts.last.map { [text(using: &generator): $0] } ?? [:],
            maybe: [parts.first, nil],
            box: Envelope(content: Bool.random(using: &generator) ? 0 : nil)
        )
    }

    private static func text(using generator: inout SeededGenerator) -> String {
        let texts = [
            "", "a", "$null", "$$null", "null", "\"", "é", "𝄞", "content", "a/b\\", "\0\u{8}\t\n\u{C}\r\u{1F}\u{7F}",
            "\u{2028}",
        ]
        return texts.randomElement(using: &generator) ?? ""
    }
}

/// The collections and names of an encoded value, whatever encoded it.
private indirect enum Outline: Decodable, Equatable {
    case scalar
    case array([Outline])
    case dictionary([String: Outline])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            let entries = try container.allKeys.map { ($0.stringValue, try container.decode(Outline.self, forKey: $0)) }
            self = .dictionary(Dictionary(uniqueKeysWithValues: entries))
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [Outline] = []
            while !container.isAtEnd { elements.append(try container.decode(Outline.self)) }
            self = .array(elements)
        } else {
            self = .scalar
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        init(stringValue: String) { self.stringValue = stringValue }
        var intValue: Int? { nil }
        init?(intValue: Int) { nil }
    }
}
