import Foundation
import KeyspanCore

struct Tag: RawRepresentable, Hashable, Defaults.Serializable {
    var rawValue: String
}

struct PreferredTag: RawRepresentable, Codable, Hashable, Defaults.Serializable, Defaults.PreferRawRepresentable {
    var rawValue: String
}

struct Converted: Hashable, Defaults.Convertible {
    var text: String

    func convertedObject() -> [String: String] { [text: text] }

    static func instantiate(from object: [String: String]) -> Converted? {
        object.first.map { Converted(text: $0.value) }
    }
}

struct OwnList: Equatable, Defaults.CollectionSerializable {
    private var texts: [String]

    init(_ elements: [String]) { texts = elements }

    var startIndex: Int { texts.startIndex }
    var endIndex: Int { texts.endIndex }
    func index(after index: Int) -> Int { texts.index(after: index) }
    subscript(index: Int) -> String { texts[index] }
}

/// Stored as JSON text.
struct Record: Codable, Hashable, Defaults.Serializable {
    var text: String
    var other: String?
    var texts: [String: [String]] = [:]
}

struct StructuredRecord: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
    var text: String
    var texts: [String: [String?]]
}

struct StructuredNumbers: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
    var texts: [Int: String]
}

struct StructuredURL: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
    var url: URL
}

/// Its structured form is a text.
struct StructuredText: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
    var text: String

    init(text: String) {
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

enum Level: String, Codable, CaseIterable, Defaults.Serializable {
    case low, high
    case odd = "\"low\""
    case number = "1"
    case null
}

enum NumberedLevel: Int, Codable, CaseIterable, Defaults.Serializable {
    case low, high
}

/// Synthesizes a `Codable` form that is an object.
enum PlainLevel: Codable, CaseIterable, Defaults.Serializable {
    case low, high
    // As JSON text it is a value of another kind.
    case null, `true`
}

/// Is encoded as one number.
struct CodableNumber: Codable, Equatable, Defaults.Serializable {
    var number: Int

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

/// Is encoded as one text, which may look like JSON text.
struct CodableText: Codable, Equatable, Defaults.Serializable {
    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// Has parts that people write as text.
struct TimedRecord: Codable, Equatable, Defaults.Serializable {
    var timeout: Duration
    var limit: Defaults.ByteCount
    var level: PlainLevel?
}
