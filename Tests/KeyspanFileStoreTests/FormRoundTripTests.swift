import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A case that is encoded by a name of its own.
private protocol Renamed: Codable, CaseIterable, Defaults.Serializable {
    var name: String { get }
    init(name: String)
}

extension Renamed {
    init(from decoder: any Decoder) throws {
        self.init(name: try decoder.singleValueContainer().decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// The name of each case is that of the other one.
private enum Crossed: Renamed {
    case left, right

    init(name: String) { self = name == "left" ? .right : .left }
    var name: String { self == .left ? "right" : "left" }
}

/// Takes any unknown name for one case, as decoders of data from a server do.
private enum Tolerant: Renamed {
    case active, unknown

    init(name: String) { self = name == "ACTIVE" ? .active : .unknown }
    var name: String { self == .active ? "ACTIVE" : "UNKNOWN" }
}

/// Describes all of its cases alike.
private enum Described: Codable, CaseIterable, CustomDebugStringConvertible, Defaults.Serializable {
    case first, second

    var debugDescription: String { "Described" }
}

private enum Shown: Codable, CaseIterable, CustomStringConvertible, Defaults.Serializable {
    case first, second

    var description: String { self == .first ? "second" : "first" }
}

private enum Payload: Codable, CaseIterable, Equatable, Defaults.Serializable {
    case none, some(Int), both(left: String, right: [Int])

    static var allCases: [Payload] { [.none, .some(1)] }
}

private enum Plain: Codable, CaseIterable, Defaults.Serializable {
    case one, two
}

private struct Listed: Codable, CaseIterable, Equatable, Defaults.Serializable {
    var number: Int
    static var allCases: [Listed] { (0..<3).map { Listed(number: $0) } }
}

private struct Single: Codable, Equatable, Defaults.Serializable {
    var text: String?
    init(_ text: String?) { self.text = text }
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = container.decodeNil() ? nil : try container.decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text { try container.encode(text) } else { try container.encodeNil() }
    }
}

private struct Either: Codable, Equatable, Defaults.Serializable {
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

private struct Many: Codable, Equatable, Defaults.Serializable {
    var float: Float = 0.1
    var double: Double = .pi
    var whole: Double = 5
    var big: UInt64 = .max
    var decimal = Decimal(string: "0.1234567890123456789")
    var date = Date(timeIntervalSinceReferenceDate: 0.1)
    var data = Data([0, 255])
    var url = URL(string: "https://example.com/a?b=c#d")
    var plain = Plain.two
    var plains: [Plain: Int] = [:]
    var nested: [[Int?]] = [[1, nil], []]
    var map: [String: Int?] = ["$date": 1, "$data": nil, "$null": 3, "": 4, "a.b": 5]
    var texts: [String?] = ["$null", nil, "$$null", "null", "\"a\"", "2026-11-21T10:50:00Z"]
    var numbers: [Int: String] = [1: "a", -2: "b"]
    var duration = Duration(secondsComponent: -3, attosecondsComponent: -1)
    var payload = Payload.both(left: "x", right: [1])
    var optional: Payload??
    var range = 1...5
    var set: Set<Double> = [1, 2.5]
    var character = "e\u{301}"
    var uuid = UUID(uuidString: "6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57")
    var negative = -0.0
}

private struct Empty: Codable, Equatable, Defaults.Serializable {}

private final class Node: Codable, Equatable, Defaults.Serializable {
    let name: String
    let next: Node?
    init(_ name: String, _ next: Node? = nil) { (self.name, self.next) = (name, next) }
    static func == (left: Node, right: Node) -> Bool { left.name == right.name && left.next == right.next }
}

private struct RawStruct: RawRepresentable, Codable, Equatable, Hashable, Defaults.Serializable {
    var rawValue: String
}

private struct RawNumber: RawRepresentable, Codable, Equatable, Hashable, Defaults.Serializable {
    var rawValue: Int
}

private enum RawCrossed: String, Codable, CaseIterable, Defaults.Serializable {
    case a = "b", b = "a", one = "1", quoted = "\"a\"", null = "null", empty = ""
}

/// Every value is read back as it was, whatever the form of the store, and in other stores.
@Suite(.heavy) struct FormRoundTripTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check<Value: Defaults.Serializable & Equatable>(_ values: [Value], line: Int = #line) throws {
        let forms = [Defaults.ValueForm.jsonText, .readable]
        let key = Defaults.Key<Value?>("key")
        for (index, value) in values.enumerated() {
            for (form, other) in forms.flatMap({ form in forms.map { (form, $0) } }) {
                let path = folder.path("\(Value.self.self)-\(line)-\(index)-\(form)-\(other).json")
                var stored: PropertyListValue?
                do {
                    let store = try JSONFileStore(path: path, options: FileStoreOptions(valueForm: form))
                    Defaults(store)[key] = value
                    stored = store.value(forKey: "key")
                    #expect(try Defaults(store).value(for: key) == value, "\(form) \(String(describing: stored))")
                    try store.synchronize()
                }
                let store = try JSONFileStore(path: path, options: FileStoreOptions(valueForm: other))
                #expect(store.value(forKey: "key") == stored)
                let read = try Defaults(store).value(for: key)
                #expect(read == value, "\(form) read from \(String(describing: stored))")
                Defaults(store)[key] = value
                if other == .readable { #expect(store.value(forKey: "key") == stored, "the form is kept") }
                let memory = InMemoryStore(["key": try #require(stored)])
                #expect(try Defaults(memory).value(for: key) == value)
            }
        }
    }

    @Test func `names of cases`() throws {
        try check(Crossed.allCases)
        try check(Tolerant.allCases)
        try check(Described.allCases)
        try check(Shown.allCases)
        try check(Plain.allCases)
        try check([Plain.allCases])
        try check([["a": Plain.one]])
        try check([[1: Plain.one]])
        try check([Crossed.allCases])
        try check(RawCrossed.allCases)
        try check([["x": [Plain.one, .two]]])
    }

    @Test func payloads() throws {
        try check([Payload.none, .some(1), .some(2), .both(left: "a", right: [])])
        try check(Listed.allCases)
    }

    @Test func singles() throws {
        try check([
            Single(nil), Single(""), Single("null"), Single("\"a\""), Single("$null"), Single("$$null"), Single("5"),
        ])
        try check([Either(number: 5), Either(number: 0.5), Either(text: "5"), Either(text: "\"5\""), Either(text: "x")])
        try check([[Single("a"), Single("\"a\"")]])
        try check([["a": Single("a"), "b": Single("\"a\""), "$date": Single("x")]])
        try check([[1: "a", 2: "\"a\""]])
        try check([[1: 1.5, 2: 3]])
        try check([[1: [true, false]]])
        try check([[1: ["a", "\"b\""]]])
        try check([[1: ["a": "\"b\"", "c": "d"]]])
        try check([[1: Date(timeIntervalSinceReferenceDate: 0.1)]])
        try check([[1: Data([1])]])
    }

    @Test func structures() throws {
        try check([Many()])
        try check([Many(plains: [.one: 1])])
        try check([Empty()])
        try check([Node("a", Node("b"))])
        try check([[Empty()]])
        try check([["a": [Node("a")]]])
    }

    @Test func `raw values`() throws {
        try check([RawStruct(rawValue: "\"a\""), RawStruct(rawValue: "5"), RawStruct(rawValue: "")])
        try check([RawNumber(rawValue: -5)])
        try check([Set([RawStruct(rawValue: "a"), RawStruct(rawValue: "\"a\"")])])
        try check([["x": RawStruct(rawValue: "b")]])
    }

    @Test func dates() throws {
        let times = [
            0, -0.0, 0.1, 1e-7, 816_951_000.25, 1e300, -1e300, .infinity, 63_113_904_000 * 5, -63_113_904_000 * 5,
        ]
        try check(times.map { Date(timeIntervalSinceReferenceDate: $0) })
        for time in times {
            let file = try JSONFileStore(path: folder.path("date\(time).json"))
            file.set("2026-11-21T10:50:00Z" as PropertyListValue, forKey: "key")
            let key = Defaults.Key<Date?>("key")
            Defaults(file)[key] = Date(timeIntervalSinceReferenceDate: time)
            #expect(try Defaults(file).value(for: key) == Date(timeIntervalSinceReferenceDate: time))
        }
    }

    @Test func urls() throws {
        let texts = [
            "https://example.com", "file:///tmp/a", "/tmp/a", "~/a", "a", "//host/a", "\"x\"", "{}", "[]", "a b", "é",
            "http://é.com/é", "?", "#", "mailto:a@b", "%", "a:b", "null", "5", "{a}", "[a", "x\u{0}y",
            "http://[::1]:80/",
        ]
        for text in texts { if let url = URL(string: text) { try check([url]) } }
        if let base = URL(string: "https://example.com/a/"), let url = URL(string: "b", relativeTo: base) {
            try check([url])
        }
        try check([
            URL(filePath: "/tmp/a b", directoryHint: .isDirectory), URL(filePath: "a", directoryHint: .notDirectory),
        ])
    }

    @Test func `a value whose text cannot be read is not written`() throws {
        let store = try JSONFileStore(path: folder.path("settings.json"))
        let (interval, share) = (Defaults.Key<Duration?>("interval"), Defaults.Key<Defaults.Percentage?>("share"))
        for duration in [Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(Int64.max) + .seconds(1)] {
            #expect(throws: Defaults.WriteError.self) { try Defaults(store).set(duration, for: interval) }
        }
        for percent in [Double.infinity, -.infinity, .nan] {
            #expect(throws: Defaults.WriteError.self) {
                try Defaults(store).set(Defaults.Percentage(percent), for: share)
            }
        }
        #expect(store.snapshot().isEmpty)
    }
}
