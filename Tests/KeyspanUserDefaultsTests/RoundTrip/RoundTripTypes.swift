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
