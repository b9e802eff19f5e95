import Foundation
import KeyspanCore
import Testing

/// The kinds of values that sources with types are asked for.
@Suite
struct StoredKindTests {
    private enum Level: Int, CaseIterable, Defaults.Serializable {
        case low = 1
        case high = 2
    }

    private enum Code: Int, Defaults.Serializable {
        case first = 1
    }

    private enum Theme: String, Defaults.Serializable {
        case light
    }

    private struct Account: Codable, Defaults.Serializable {
        var name: String
    }

    private struct Pair: Defaults.Serializable {
        struct Bridge: Defaults.DirectBridge {
            func entries(of key: String) -> [String] { [key, key + ".note"] }

            func get(key: String, store: PropertyListTable) -> Pair? { Pair() }

            func save(key: String, value: Pair?, store: inout PropertyListEdit) {}
        }

        static let bridge = Bridge()
    }

    @Test(
        arguments: [
            (Defaults.Key<Bool>("k", default: false), .boolean), (Defaults.Key<Int?>("k"), .integer),
            (Defaults.Key<UInt8?>("k"), .integer), (Defaults.Key<UInt64?>("k"), .integer),
            (Defaults.Key<Level?>("k"), .other), (Defaults.Key<Code?>("k"), .integer),
            (Defaults.Key<Double?>("k"), .real), (Defaults.Key<Float?>("k"), .real),
            (Defaults.Key<String?>("k"), .string), (Defaults.Key<Theme?>("k"), .string),
            (Defaults.Key<Duration?>("k"), .string), (Defaults.Key<Data?>("k"), .data),
            (Defaults.Key<[Int]>("k", default: []), .array(of: .integer)),
            (Defaults.Key<Set<String>?>("k"), .array(of: .string)),
            (Defaults.Key<[[Data]]?>("k"), .array(of: .array(of: .data))),
            (Defaults.Key<[Date]?>("k"), .array(of: .other)), (Defaults.Key<Date?>("k"), .other),
            (Defaults.Key<Decimal?>("k"), .other), (Defaults.Key<[String: Int]?>("k"), .other),
            (Defaults.Key<Account?>("k"), .other), (Defaults.Key<Defaults.AnySerializable?>("k"), .other),
            (Defaults.Key<Pair?>("k"), .other),
        ] as [(Defaults.AnyKey, StoredKind)]
    )
    func `a key has the kind of its stored form`(_ key: Defaults.AnyKey, _ kind: StoredKind) {
        #expect(key.storedKind == kind)
        // Again, from the cache.
        #expect(key.storedKind == kind)
    }

    @Test(
        arguments: [
            ("a", "a"), (true, "true"), (-3, "-3"), (1.5, "1.5"), (2.0, "2.0"),
            (1.6540705272477252e19, "16540705272477251584"), (-0x1p63, "-9223372036854775808"), (1e300, "1e+300"),
            (.data(Data([0, 255])), "<00ff>"), (.date(Date(timeIntervalSince1970: 0)), "1970-01-01T00:00:00Z"),
            ([1, "a\"\n", [true]], #"[1,"a\"\n",[true]]"#), (["b": 1, "a": [:]], #"{"a":{},"b":1}"#),
            (.real(.infinity), nil), ([.data(Data())], nil), (["a": .date(Date(timeIntervalSince1970: 0))], nil),
        ] as [(PropertyListValue, String?)]
    )
    func `a value has the text that people write for it`(_ value: PropertyListValue, _ text: String?) {
        #expect(value.writtenText == text)
    }

    @Test func `deep collections have no text`() {
        func nested(_ levels: Int) -> PropertyListValue { levels == 0 ? 1 : [nested(levels - 1)] }
        #expect(nested(32).writtenText != nil && nested(33).writtenText == nil)
    }
}
