import Foundation
import KeyspanCore

/// Types of one's own, one for each way in which a type becomes that of a key and each shape that `Codable` gives to types.
enum Sample {
    // MARK: - Raw values

    struct Tag: RawRepresentable, Hashable, Defaults.Serializable {
        var rawValue: String
    }

    struct PreferredTag: RawRepresentable, Codable, Hashable, Defaults.Serializable, Defaults.PreferRawRepresentable {
        var rawValue: String
    }

    /// Raw-representable and `Codable`: stored as JSON text.
    struct CodableTag: RawRepresentable, Codable, Hashable, Defaults.Serializable {
        var rawValue: String
    }

    struct Celsius: RawRepresentable, Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
        var rawValue: Double
    }

    /// Lists some values although it has others.
    struct Target: RawRepresentable, CaseIterable, Hashable, Defaults.Serializable {
        var rawValue: String

        static let allCases = [Target(rawValue: "stdout"), Target(rawValue: "stderr")]
    }

    struct Features: OptionSet, CaseIterable, Hashable, Defaults.Serializable {
        var rawValue: Int

        static let (fast, safe) = (Features(rawValue: 1), Features(rawValue: 2))
        static let allCases = [fast, safe]
    }

    struct Permissions: OptionSet, Codable, Hashable, Defaults.Serializable {
        var rawValue: UInt8
    }

    enum Channel: String, CaseIterable, Defaults.Serializable {
        case music, voice
        case dotted = "a.b"
        case number = "1"
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

    enum PreferredLevel: Int, Codable, CaseIterable, Defaults.Serializable, Defaults.PreferRawRepresentable {
        case low = -1
        case high = 1
    }

    enum Crossed: String, Codable, CaseIterable, Defaults.Serializable {
        case first = "second"
        case second = "first"
        case empty = ""
    }

    // MARK: - Cases without raw values

    enum Plain: Codable, CaseIterable, Defaults.Serializable {
        case low, high
        // As JSON text they are values of another kind.
        case null, `true`
    }

    enum Payload: Codable, CaseIterable, Hashable, Defaults.Serializable {
        case none, some(Int), both(left: String, right: [Int])

        static var allCases: [Payload] { [.none, .some(1)] }
    }

    struct Listed: Codable, CaseIterable, Hashable, Defaults.Serializable {
        var number: Int

        static var allCases: [Listed] { (0..<3).map { Listed(number: $0) } }
    }

    /// The name of each case is that of the other one.
    enum Swapped: Codable, CaseIterable, NamedCase, Defaults.Serializable {
        case left, right

        init(name: String) { self = name == "left" ? .right : .left }
        var name: String { self == .left ? "right" : "left" }
    }

    /// Takes any unknown name for one case, as decoders of data from a server do.
    enum Tolerant: Codable, CaseIterable, NamedCase, Defaults.Serializable {
        case active, unknown

        init(name: String) { self = name == "ACTIVE" ? .active : .unknown }
        var name: String { self == .active ? "ACTIVE" : "UNKNOWN" }
    }

    /// Describes all of its cases alike.
    enum Described: Codable, CaseIterable, CustomDebugStringConvertible, Defaults.Serializable {
        case first, second

        var debugDescription: String { "Described" }
    }

    enum Shown: Codable, CaseIterable, CustomStringConvertible, Defaults.Serializable {
        case first, second

        var description: String { self == .first ? "second" : "first" }
    }

    // MARK: - Structures

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
        var numbers: [String: Double] = ["7": 0.5]
    }

    struct StructuredURL: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
        var url: URL
    }

    struct Empty: Codable, Hashable, Defaults.Serializable {}

    /// Has parts that people write as text.
    struct Timed: Codable, Hashable, Defaults.Serializable {
        var timeout: Duration
        var limit: Defaults.ByteCount
        var level: Plain?
    }

    /// Has parts without an order.
    struct Unordered: Codable, Hashable, Defaults.Serializable {
        var texts: Set<String>
        var lists: Set<[Int]> = []
        var names: [String: Int] = [:]
        var numbers: [Int: String] = [:]
        var tags: [CodableTag: Int] = [:]
        var inner: [Set<Int>] = []
    }

    struct StructuredUnordered: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
        var unordered: Unordered
    }

    struct Wide: Codable, Hashable, Defaults.Serializable {
        var number: Int128
        var natural: UInt128
    }

    struct StructuredWide: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
        var number: Int128
        var natural: UInt128
    }

    struct Many: Codable, Equatable, Defaults.Serializable {
        var float: Float = 0.1
        var double: Double = .pi
        var whole: Double = 5
        var big: UInt64 = .max
        var decimal = Decimal(string: "0.1234567890123456789")
        var date = Date(timeIntervalSinceReferenceDate: 0.1)
        var data = Data([0, 255])
        var url = URL(string: "https://example.com/a?b=c#d")
        var plain = Plain.high
        var plains: [Plain: Int] = [:]
        var nested: [[Int?]] = [[1, nil], []]
        var map: [String: Int?] = ["$date": 1, "$data": nil, "$null": 3, "": 4, "a.b": 5, "7": 6]
        var texts: [String?] = ["$null", nil, "$$null", "null", "\"a\"", "2026-11-21T10:50:00Z"]
        var numbers: [Int: String] = [1: "a", -2: "b"]
        var duration = Duration(secondsComponent: -3, attosecondsComponent: -1)
        var payload = Payload.both(left: "x", right: [1])
        var optional: Payload??
        var range = 1...5
        var set: Set<Double> = [1, 2.5]
        var text = "e\u{301}"
        var uuid = UUID(uuidString: "6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57")
        var negative = -0.0
    }

    struct Real: Codable, Hashable, Defaults.Serializable {
        var real: Double
        var single: Float = 0
    }

    struct StructuredReal: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
        var real: Double
        var single: Float = 0
    }

    // MARK: - One value

    struct Number: Codable, Hashable, SingleValue, Defaults.Serializable {
        var content: Int
        init(_ content: Int) { self.content = content }
    }

    /// May look like JSON text.
    struct Text: Codable, Hashable, SingleValue, Defaults.Serializable {
        var content: String
        init(_ content: String) { self.content = content }
    }

    struct StructuredText: Codable, Hashable, SingleValue, Defaults.Serializable, Defaults.PreferStructured {
        var content: String
        init(_ content: String) { self.content = content }
    }

    struct Perhaps: Codable, Hashable, SingleValue, Defaults.Serializable {
        var content: String?
        init(_ content: String?) { self.content = content }
    }

    struct Blob: Codable, Hashable, SingleValue, Defaults.Serializable, Defaults.PreferStructured {
        var content: Data
        init(_ content: Data) { self.content = content }
    }

    /// A number or a text.
    struct Either: Codable, Hashable, Defaults.Serializable {
        var number: Double?
        var text: String?

        init(number: Double? = nil, text: String? = nil) { (self.number, self.text) = (number, text) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Double.self) {
                number = value
            } else {
                text = try container.decode(String.self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let number { try container.encode(number) } else { try container.encode(text) }
        }
    }

    // MARK: - Classes

    final class Node: Codable, Hashable, Sendable, Defaults.Serializable {
        let name: String
        let next: Node?

        init(_ name: String, _ next: Node? = nil) { (self.name, self.next) = (name, next) }

        /// A list as deep as it is long.
        static func chain(of count: Int) -> Node { (1..<count).reduce(Node("end")) { next, _ in Node("", next) } }

        static func == (left: Node, right: Node) -> Bool { left.name == right.name && left.next == right.next }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    final class StructuredNode: Codable, Hashable, Sendable, Defaults.Serializable, Defaults.PreferStructured {
        let next: [StructuredNode]

        init(_ next: StructuredNode?) { self.next = next.map { [$0] } ?? [] }

        static func chain(of count: Int) -> StructuredNode {
            (1..<count).reduce(StructuredNode(nil)) { next, _ in StructuredNode(next) }
        }

        static func == (left: StructuredNode, right: StructuredNode) -> Bool { left.next == right.next }
        func hash(into hasher: inout Hasher) { hasher.combine(next.count) }
    }

    class Animal: Codable, @unchecked Sendable {
        let legs: Int

        init(legs: Int) { self.legs = legs }
    }

    /// Writes its superclass's part under a name of its own, as the compiler advises.
    final class Dog: Animal, Hashable, @unchecked Sendable, Defaults.Serializable {
        let name: String

        init(name: String) {
            self.name = name
            super.init(legs: 4)
        }

        private enum Keys: CodingKey { case name }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(name, forKey: .name)
            try super.encode(to: container.superEncoder())
        }

        static func == (left: Dog, right: Dog) -> Bool { left.name == right.name && left.legs == right.legs }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    // MARK: - Other protocols

    struct Converted: Hashable, Defaults.Convertible {
        var text: String

        func convertedObject() -> [String: String] { [text: text] }
        static func instantiate(from object: [String: String]) -> Converted? {
            object.first.map { Converted(text: $0.value) }
        }
    }

    struct Version: LosslessStringConvertible, Hashable, Defaults.TextSerializable {
        var major: Int
        var minor: Int

        static let textForms = "write it as 1.4"
        static let textPattern: String? = "^[+-]?[0-9]{1,9}\\.[+-]?[0-9]{1,9}$"

        var description: String { "\(major).\(minor)" }

        init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
            (self.major, self.minor) = (major, minor)
        }
    }

    struct List: Equatable, Defaults.CollectionSerializable {
        private var texts: [String]

        init(_ elements: [String]) { texts = elements }

        var startIndex: Int { texts.startIndex }
        var endIndex: Int { texts.endIndex }
        func index(after index: Int) -> Int { texts.index(after: index) }
        subscript(index: Int) -> String { texts[index] }
    }

    /// A set algebra of one's own.
    struct Basket: Equatable, Defaults.SetAlgebraSerializable {
        private var elements: Set<String> = []

        init() {}
        init(_ elements: some Sequence<String>) { self.elements = Set(elements) }

        func toArray() -> [String] { Array(elements) }
        func contains(_ member: String) -> Bool { elements.contains(member) }
        func union(_ other: Basket) -> Basket { Basket(elements.union(other.elements)) }
        func intersection(_ other: Basket) -> Basket { Basket(elements.intersection(other.elements)) }
        func symmetricDifference(_ other: Basket) -> Basket { Basket(elements.symmetricDifference(other.elements)) }
        mutating func insert(_ new: String) -> (inserted: Bool, memberAfterInsert: String) { elements.insert(new) }
        mutating func remove(_ member: String) -> String? { elements.remove(member) }
        mutating func update(with new: String) -> String? { elements.update(with: new) }
        mutating func formUnion(_ other: Basket) { elements.formUnion(other.elements) }
        mutating func formIntersection(_ other: Basket) { elements.formIntersection(other.elements) }
        mutating func formSymmetricDifference(_ other: Basket) { elements.formSymmetricDifference(other.elements) }
    }

    /// An array of these has a form of its own.
    struct Frog: Hashable, Defaults.ArraySerializable {
        var name: String

        static let bridge = FrogBridge()
        static let arrayBridge = FrogsBridge()

        struct FrogBridge: Defaults.Bridge {
            func serialize(_ value: Frog?) -> String? { value?.name }
            func deserialize(_ object: String?) -> Frog? { object.map { Frog(name: $0) } }
        }

        struct FrogsBridge: Defaults.Bridge {
            func serialize(_ value: [Frog]?) -> [String: Int]? {
                value.map { Dictionary(uniqueKeysWithValues: $0.enumerated().map { ($0.element.name, $0.offset) }) }
            }

            func deserialize(_ object: [String: Int]?) -> [Frog]? {
                object?.sorted { $0.value < $1.value }.map { Frog(name: $0.key) }
            }
        }
    }
}

/// A case that is encoded by a name of its own.
protocol NamedCase: Codable {
    var name: String { get }
    init(name: String)
}

extension NamedCase {
    init(from decoder: any Decoder) throws {
        self.init(name: try decoder.singleValueContainer().decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// A value that is encoded as its only part.
protocol SingleValue: Codable {
    associatedtype Content: Codable
    var content: Content { get }
    init(_ content: Content)
}

extension SingleValue {
    init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Content.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}
