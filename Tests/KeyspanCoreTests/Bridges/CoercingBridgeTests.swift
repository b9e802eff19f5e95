import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct CoercingBridgeTests {
    private func decode<Value: Defaults.Coercible>(
        _ stored: PropertyListValue,
        as type: Value.Type
    ) throws(ValueDecodingError) -> Value {
        var context = Defaults.DecodingContext(isStrict: true)
        return try Defaults.CoercingBridge<Value>().decode(stored, in: &context)
    }

    @Test func `a type that does not coerce reads text only where the store has nothing but text`() throws {
        var plain = Defaults.DecodingContext(isStrict: false)
        #expect(throws: ValueDecodingError.typeMismatch(expected: .integer, found: "8080")) {
            try Int.bridge.decode("8080", in: &plain)
        }
        var text = Defaults.DecodingContext(isStrict: false, readsText: true)
        #expect(try Int.bridge.decode("8080", in: &text) == 8080)
        #expect(try Bool.bridge.decode("YES", in: &text))
        #expect(try String.bridge.decode("8080", in: &text) == "8080")
        #expect(try URL.bridge.decode("/a", in: &text).isFileURL)
        #expect(try [Double?].bridge.decode(["1", "1.5"], in: &text) == [1, 1.5])
        #expect(try Verbosity.bridge.decode("2", in: &text) == .loud)
        #expect(throws: ValueDecodingError.unreadable("thousand", reason: Int.coercionRule)) {
            try Int.bridge.decode("thousand", in: &text)
        }
        // Only text is converted: a number in the same place was stored as one.
        #expect(throws: ValueDecodingError.self) { try Bool.bridge.decode(1, in: &text) }
        #expect(throws: ValueDecodingError.self) { try Data.bridge.decode("1", in: &text) }
        #expect(text.skipped.isEmpty)
    }

    @Test func `what does not convert is an error that says what would`() throws {
        #expect(try decode("loud", as: Verbosity.self) == .loud && decode("1", as: Verbosity.self) == .normal)
        let error = #expect(throws: ValueDecodingError.self) { try decode("10.75", as: Int.self) }
        #expect(error == .unreadable("10.75", reason: "an integer has neither a fraction nor an exponent"))
        #expect(error?.description.contains("10.75") == false)
        #expect(throws: ValueDecodingError.unreadable([], reason: Bool.coercionRule)) { try decode([], as: Bool.self) }
        #expect(throws: ValueDecodingError.unreadable("x", reason: Verbosity.coercionRule)) {
            try decode("x", as: Verbosity.self)
        }
    }

    @Test func `the plain value is written`() throws {
        #expect(try Defaults.CoercingBridge<Int>().encode(8080) == 8080)
        #expect(Defaults.CoercingBridge<Double>().serialize(nil) == nil)
        #expect(Defaults.CoercingBridge<Double>().serialize(1) == 1.0)
        #expect(Defaults.CoercingBridge<Double>().deserialize("1") == 1)
        #expect(Defaults.CoercingBridge<Double>().deserialize(nil) == nil)
    }

    @Test(arguments: ["https://a.b/c?d=e#f", "file:///a%20b/", "mailto:me@a.b", "relative/path"])
    func `a URL that was written is read back`(_ text: String) throws {
        let url = try #require(URL(string: text))
        let stored = try Defaults.CoercingBridge<URL>().encode(url)
        #expect(try stored == Defaults.URLBridge().encode(url))
        #expect(try decode(stored, as: URL.self) == url)
    }
}

private enum Verbosity: Int, Defaults.Serializable, Defaults.Coercible {
    case quiet, normal, loud

    static func coerced(from stored: PropertyListValue) -> Verbosity? {
        stored == "loud" ? .loud : CoercionTable.integer(stored).flatMap(Verbosity.init)
    }
}
