import Foundation
import KeyspanCore
import Testing

/// Checks that both bridges for `Codable` types read every form which one of them, or another library, writes.
@Suite struct CodableFormTests {
    /// A value in each of its forms, with the bridge that its type chose.
    struct Forms: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () throws -> Void

        /// - Parameters:
        ///   - value: The value.
        ///   - written: The form that the bridge writes.
        ///   - json: The value as JSON text.
        ///   - structured: The structured form.
        init<Value: Codable & Defaults.Serializable & Equatable & Sendable>(
            _ value: Value,
            written: PropertyListValue,
            json: String,
            structured: PropertyListValue
        ) {
            testDescription = "\(Value.self): \(structured)"
            verify = { () throws in
                let store = InMemoryStore()
                let key = Defaults.Key<Value?>("key")
                try Defaults(store).set(value, for: key)
                #expect(store.value(forKey: "key") == written)
                for form in [written, .string(json), .data(Data(json.utf8)), structured] {
                    let defaults = Defaults(InMemoryStore(["key": form]))
                    #expect(try defaults.storedValue(for: Defaults.Key<Value?>("key")) == value, "\(form)")
                    let list = Defaults.Key<[Value]>("list", default: [])
                    #expect(try Defaults(InMemoryStore(["list": [form]])).storedValue(for: list) == [value], "\(form)")
                }
            }
        }
    }

    @Test(arguments: [
        Forms(
            User(name: "Ann", age: 3),
            written: #"{"age":3,"name":"Ann"}"#,
            json: #"{"name":"Ann","age":3}"#,
            structured: ["name": "Ann", "age": 3]
        ),
        Forms(
            Server(host: "a.b", port: 80),
            written: ["host": "a.b", "port": 80],
            json: #"{"host":"a.b","port":80}"#,
            structured: ["host": "a.b", "port": 80]
        ),
        Forms(Level.high, written: "2", json: "2", structured: 2),
        Forms(Verdict.yes, written: "yes", json: #""yes""#, structured: "yes"),
        Forms(Answer.yes, written: #""yes""#, json: #""yes""#, structured: "yes"),
        Forms(Single([1.0, 2.0]), written: [1.0, 2.0], json: "[1,2]", structured: [1, 2]),
    ])
    func `every form of a value is read, whichever its type chose to write`(_ forms: Forms) throws {
        try forms.verify()
    }

    @Test func `a structured value is exact where its form could be taken for JSON`() throws {
        let key = Defaults.Key<Single<String>?>("label")
        for text in ["\"quoted\"", "{}", "$null", ""] {
            let store = InMemoryStore()
            try Defaults(store).set(Single(text), for: key)
            #expect(try Defaults(store).storedValue(for: Defaults.Key<Single<String>?>("label")) == Single(text))
        }
    }

    @Test func `data is exact where its bytes could be taken for JSON text`() throws {
        let store = InMemoryStore()
        let blob = Single(Data(#""AQ==""#.utf8))
        try Defaults(store).set(blob, for: Defaults.Key<Single<Data>?>("blob"))
        #expect(try Defaults(store).storedValue(for: Defaults.Key<Single<Data>?>("blob")) == blob)
        let text = Defaults(InMemoryStore(["blob": #""AQ==""#]))
        #expect(try text.storedValue(for: Defaults.Key<Single<Data>?>("blob")) == Single(Data([1])))
    }

    @Test func `a structured value can have numbers that JSON has not`() throws {
        let store = InMemoryStore()
        let key = Defaults.Key<Single<[Double]>?>("track")
        try Defaults(store).set(Single([.infinity]), for: key)
        #expect(store.value(forKey: "track") == [.real(.infinity)])
    }

    /// The error for a value in neither form.
    @Test(
        arguments: [
            ("{", "found a string that cannot be read: it is not valid JSON of this type"),
            (["host": "a"], #"found a dictionary that cannot be read: it has no "port""#),
            (["host": "a", "port": "80"], "expected an integer but found a string (at .port)"),
            (#"{"host":"a","port":"80"}"#, "found a string that cannot be read: the JSON is not an integer (at .port)"),
            (1, "expected a dictionary but found an integer"),
        ] as [(PropertyListValue, String)]
    )
    func `a value in no form is refused with the more likely reason`(stored: PropertyListValue, reason: String) {
        let defaults = Defaults(InMemoryStore(["key": stored]))
        let error = #expect(throws: Defaults.ReadError.self) {
            try defaults.storedValue(for: Defaults.Key<Server?>("key"))
        }
        #expect(error?.cause.description == reason)
    }

    @Test func `the two-way methods agree with the bridge`() throws {
        let server = Server(host: "a", port: 1)
        #expect(Server.bridge.serialize(server) == ["host": "a", "port": 1])
        #expect(Server.bridge.deserialize(#"{"host":"a","port":1}"#) == server)
        #expect(Server.bridge.deserialize(["host": "a"]) == nil)
        #expect(Server.bridge.serialize(nil) == nil)
        #expect(User.bridge.deserialize("{") == nil)
    }
}

private struct Server: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
    var host: String
    var port: Int
}

/// `Codable` and raw-representable: the marker decides.
private enum Verdict: String, Codable, Defaults.Serializable, Defaults.PreferStructured {
    case yes, no
}

private enum Answer: String, Codable, Defaults.Serializable {
    case yes, no
}

/// Writes itself as its value.
private struct Single<Value: Codable & Hashable & Sendable>: Codable, Hashable, Defaults.Serializable, Defaults
        .PreferStructured
{
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
