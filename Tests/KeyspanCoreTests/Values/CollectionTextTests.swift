import Foundation
import KeyspanCore
import Testing

private enum Plan: String, CaseIterable, Defaults.Serializable {
    case free, gold
}

private struct Server: Codable, Equatable, Defaults.Serializable {
    var host: String
    var port: Int?
    var timeout: Duration?
}

/// Collections in variables and arguments, which have nothing but text.
@Suite struct CollectionTextTests {
    static func read<Value: Defaults.Serializable>(
        _ text: String,
        as type: Value.Type = Value.self
    ) throws(Defaults.ReadError) -> Value? {
        let store = EnvironmentStore(prefix: "APP_", environment: ["APP_KEY": text])
        return try Defaults(store).value(for: Defaults.Key<Value?>("key"))
    }

    @Test(arguments: [
        ("a,b", ["a", "b"]), (" a , b ", ["a", "b"]), ("a", ["a"]), ("", []), ("a,,b", ["a", "", "b"]), ("a,", ["a"]),
        (",", [""]), ("(a, \"b,c\")", ["a", "b,c"]), ("[\"a\", \"b,c\"]", ["a", "b,c"]), ("a=1,b", ["a=1", "b"]),
        ("(a", ["(a"]), ("[a,b]", ["[a", "b]"]), ("é,e\u{301}", ["é", "e\u{301}"]),
    ])
    func `an array is read`(text: String, array: [String]) throws {
        let read = try Self.read(text, as: [String].self)
        #expect(read.map { $0.map { Array($0.utf8) } } == array.map { Array($0.utf8) })
    }

    @Test func `elements are converted`() throws {
        #expect(try Self.read("80, 443", as: [Int].self) == [80, 443])
        #expect(try Self.read("[80, 443]", as: [Int].self) == [80, 443])
        #expect(try Self.read("true,no,1", as: [Bool].self) == [true, false, true])
        #expect(try Self.read("5s,1m", as: [Duration].self) == [.seconds(5), .seconds(60)])
        #expect(try Self.read("gold,free", as: Set<Plan>.self) == [.gold, .free])
        #expect(try Self.read("1,5", as: ClosedRange<Int>.self) == 1...5)
        #expect(try Self.read("[1.5, 2]", as: [Double].self) == [1.5, 2])
    }

    @Test(arguments: [
        ("1.6540705272477252e19", 1.6540705272477252e19), ("-1.23456789012345678E18", -1.23456789012345678E18),
        ("9.007199254740993e15", 9.007199254740993e15), ("1e300", 1e300), ("1e3", 1000),
        ("12345678901234567890.5", 1.2345678901234567e19), ("9007199254740992", 0x1p53),
    ])
    func `a real number may be a large integer in its text`(numeral: String, number: Double) throws {
        #expect(try Self.read("[\(numeral), \(numeral)]", as: [Double].self) == [number, number])
        #expect(try Self.read(#"{"1e\"": \#(numeral)}"#, as: [String: Double].self) == ["1e\"": number])
        #expect(
            try Self.read(#"{"a": [{"b": \#(numeral)}]}"#, as: [String: [[String: Double]]].self) == [
                "a": [["b": number]]
            ]
        )
    }

    @Test func `a large integer keeps all its digits`() throws {
        #expect(try Self.read("[9007199254740993]", as: [Int].self) == [9_007_199_254_740_993])
        #expect(
            try Self.read("[16540705272477252000, 1.6540705272477252e19]", as: [UInt64].self)?.first
                == 16_540_705_272_477_252_000
        )
        #expect(try Self.read("[1e18, 1e3]", as: [Int].self) == [1_000_000_000_000_000_000, 1000])
        // No Double has this integer.
        #expect(throws: Defaults.ReadError.self) { try Self.read("[9007199254740993]", as: [Double].self) }
    }

    @Test(arguments: ["gold=5,free=1", "{gold = 5; free = 1;}", #"{"gold": 5, "free": 1}"#, " gold = 5 , free = 1 "])
    func `a dictionary is read`(text: String) throws {
        #expect(try Self.read(text, as: [String: Int].self) == ["gold": 5, "free": 1])
        let store = EnvironmentStore(prefix: "APP_", environment: ["APP_KEY": text])
        #expect(try Defaults(store).value(for: Defaults.Key<[Plan: Int]?>("key")) == [.gold: 5, .free: 1])
    }

    @Test func `dictionaries with other keys are read`() throws {
        let id = try #require(UUID(uuidString: "6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57"))
        let store = EnvironmentStore(prefix: "APP_", environment: ["APP_KEY": "\(id)=a, \(UUID())=b"])
        #expect(try Defaults(store).value(for: Defaults.Key<[UUID: String]?>("key"))?[id] == "a")
        #expect(try Self.read("1=0.5,2=7", as: [Int: Double].self) == [1: 0.5, 2: 7])
        #expect(try Self.read("", as: [String: Int].self) == [:])
    }

    /// What becomes of an element in dictionaries by texts, integers and cases: the value, or the cause why there is none.
    private static func outcomes<Element: Defaults.Serializable & Sendable>(
        of text: String,
        as type: Element.Type
    ) -> [String] {
        func outcome<Value: Sendable>(
            _ name: String,
            _ key: Defaults.Key<Value?>,
            element: (Value) -> Element?
        ) -> String {
            let store = EnvironmentStore(prefix: "APP_", environment: ["APP_KEY": "\(name)=\(text)"])
            do {
                return "\(String(describing: try Defaults(store).value(for: key).flatMap(element)))"
            } catch {
                return "\(error.cause.path.steps.count): \(error.cause.cause)"
            }
        }
        return [
            outcome("gold", Defaults.Key<[String: Element]?>("key")) { $0["gold"] },
            outcome("7", Defaults.Key<[Int: Element]?>("key")) { $0[7] },
            outcome("gold", Defaults.Key<[Plan: Element]?>("key")) { $0[.gold] },
            outcome("7", Defaults.Key<[Int: Element?]?>("key")) { $0[7] ?? nil },
        ]
    }

    @Test(arguments: [
        "yes", "NO", "1", "0", "maybe", "true", "null", "1.0", "1e3", ".5", "5.", "+5", "08", "300", "-1", "1e-400",
        "1e400", "16777217", "9007199254740993", "18446744073709551616", "inf", "x", "", "\"5\"", "5s", "<0f>", "[1]",
        "2026-11-21T10:50:00Z", "/tmp",
    ])
    func `an element is converted alike in every dictionary`(text: String) {
        func check<Element: Defaults.Serializable & Sendable>(_ type: Element.Type) {
            let outcomes = Self.outcomes(of: text, as: type)
            #expect(Set(outcomes).count == 1, "\(type): \(outcomes)")
        }
        check(Bool.self)
        check(Int.self)
        check(UInt8.self)
        check(Float.self)
        check(Double.self)
        check(Decimal.self)
        check(Date.self)
        check(Data.self)
        check(Duration.self)
        check(URL.self)
        check(Plan.self)
    }

    @Test func `elements of dictionaries with other keys are converted`() throws {
        #expect(try Self.read("1=yes,2=no", as: [Int: Bool].self) == [1: true, 2: false])
        #expect(try Self.read("1=.5,2=1", as: [Int: Double].self) == [1: 0.5, 2: 1])
        #expect(try Self.read("1=+5,2=08", as: [Int: Int].self) == [1: 5, 2: 8])
        #expect(try Self.read("{1 = (YES); 2 = (no, 1);}", as: [Int: [Bool]].self) == [1: [true], 2: [false, true]])
        #expect(try Self.read("({1 = YES;}, {2 = no;})", as: [[Int: Bool]].self) == [[1: true], [2: false]])
        #expect(try Self.read(#"{"a": {"1": "yes"}}"#, as: [String: [Int: Bool]].self) == ["a": [1: true]])
        #expect(try Self.read(#"{"1": {"a": "yes"}}"#, as: [Int: [String: Bool?]].self) == [1: ["a": true]])
        #expect(try Self.read(#"1="a b",2=a"#, as: [Int: String].self) == [1: "a b", 2: "a"])
        let error = #expect(throws: Defaults.ReadError.self) { try Self.read("1=maybe", as: [Int: Bool].self) }
        #expect(error?.description.contains("write it as true, yes or 1") == true, "\(error.map { "\($0)" } ?? "")")
    }

    /// A program that passes a text through a shell may keep the quotation marks by mistake.
    @Test func `a text in quotation marks is a text, and nothing is made of it`() throws {
        #expect(try Self.read("\"80\"", as: String.self) == "\"80\"")
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"80\"", as: Int.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"yes\"", as: Bool.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"1.5\"", as: Double.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"5s\"", as: Duration.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"1KiB\"", as: Defaults.ByteCount.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"2026-11-21T10:50:00Z\"", as: Date.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"gold\"", as: Plan.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"80\"", as: [Int].self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("'80'", as: Int.self) }
        // Between commas it would be two texts.
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"a,b\"", as: [String].self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("\"a\"", as: [String].self) }
        // Forms of their own types.
        #expect(try Self.read("\"https://example.com\"", as: URL.self)?.absoluteString == "https://example.com")
        #expect(try Self.read("(\"80\", 90)", as: [Int].self) == [80, 90])
        // Behind one hyphen, `UserDefaults` reads a property list.
        let arguments = LaunchArgumentsStore(["program", "-key", "\"80\""])
        #expect(try Defaults(arguments).value(for: Defaults.Key<Int?>("key")) == 80)
    }

    @Test func `structures are read from JSON text with human forms`() throws {
        let server = Server(host: "db", port: 5432, timeout: .seconds(90))
        #expect(try Self.read(#"{"host": "db", "port": 5432, "timeout": "1m30s"}"#, as: Server.self) == server)
        #expect(try Self.read(#"[{"host": "db", "port": 5432, "timeout": "1m30s"}]"#, as: [Server].self) == [server])
    }

    @Test(arguments: ["a,b", "80,x", "80,,443", "gold=5"])
    func `an error is about the part that is wrong`(text: String) {
        let error = #expect(throws: Defaults.ReadError.self) { try Self.read(text, as: [Int].self) }
        #expect(error.map { "\($0)" }?.contains("[") == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `a text of another type is no collection`() {
        #expect(throws: Defaults.ReadError.self) { try Self.read("1,2", as: Int.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read("a=1,a=2", as: [String: Int].self) }
        #expect((try? Self.read("1,2", as: String.self)) == "1,2")
        let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        #expect(throws: Defaults.ReadError.self) { try Self.read(deep, as: [[Int]].self) }
    }

    @Test func `a text whose parts cannot be read gives the default`() {
        let store = EnvironmentStore(prefix: "APP_", environment: ["APP_KEY": "hello", "APP_NAMED": "a=b"])
        Defaults.withProblemHandler({ _ in }) {
            #expect(Defaults(store)[Defaults.Key<[Int]>("key", default: [7])] == [7])
            #expect(Defaults(store)[Defaults.Key<[String: Int]>("named", default: ["a": 7])] == ["a": 7])
        }
    }

    @Test func `a file with a text has no collection`() {
        let defaults = Defaults(InMemoryStore(["key": "a,b"]))
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: Defaults.Key<[String]?>("key")) }
    }
}
