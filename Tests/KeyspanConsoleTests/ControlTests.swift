import Foundation
import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
import Testing

private enum Level: Int, CaseIterable, Defaults.Serializable, Sendable {
    case low = 1
    case high = 2
}

private struct Size: Codable, Hashable, Sendable, Defaults.Serializable {
    var width: Int
}

/// The controls in which values are changed.
@Suite
struct ControlTests {
    private func editor(_ key: Defaults.AnyKey, _ table: PropertyListTable = [:]) async throws -> String {
        try await TestConsole([key], in: InMemoryStore(table)).page("/editor?key=\(key.name)")
    }

    @Test func `a truth value has a switch`() async throws {
        let key = Defaults.Key<Bool>("k", default: true)
        let (on, off) = (try await editor(key), try await editor(key, ["k": false]))
        #expect(on.contains(#"role="switch""#) && on.contains(" checked") && !off.contains(" checked"))
    }

    @Test func `a number has its bounds`() async throws {
        let key = Defaults.Key<Int>("k", default: 7).validated(by: .range(1...1000))
        let html = try await editor(key)
        #expect(
            html.contains(#"type="number""#) && html.contains(#"min="1" max="1000""#) && html.contains(#"value="7""#)
        )
        let real = try await editor(Defaults.Key<Double>("k", default: 0.25))
        #expect(real.contains(#"step="any""#) && real.contains(#"value="0.25""#))
        let byte = try await editor(Defaults.Key<UInt8>("k", default: 0))
        #expect(byte.contains(#"min="0" max="255""#))
    }

    @Test func `an enumeration has a list of its cases, each once`() async throws {
        let html = try await editor(Defaults.Key<Level>("k", default: .low), ["k": 2])
        #expect(html.ranges(of: "<option").count == 2 && html.contains("<select"))
        let selected = try #require(html.attribute("value", after: "<select"))
        #expect(!selected.isEmpty && html.ranges(of: " selected").count == 1)
        let rule = Defaults.Key<String>("k", default: "a").validated(by: .oneOf("a", "b"))
        #expect(try await editor(rule).ranges(of: "<option").count == 2)
    }

    @Test func `a choice without a value is not one of the choices`() async throws {
        for key in [Defaults.Key<Level?>("k"), Defaults.Key<Bool?>("k")] as [Defaults.AnyKey] {
            #expect(try await editor(key).contains("disabled selected>not set</option>"))
            #expect(try await !editor(key, ["k": 1]).contains("not set") || key is Defaults.Key<Bool?>)
        }
        // The program has the default in place of a value against a rule.
        let rule = Defaults.Key<String>("k", default: "a").validated(by: .oneOf("a", "b"))
        #expect(try await editor(rule, ["k": "other"]).contains(" selected>a<"))
    }

    @Test func `each choice can be sent back`() async throws {
        let key = Defaults.Key<Level>("k", default: .low)
        let store = InMemoryStore()
        let console = TestConsole([key], in: store)
        let html = try await console.page("/editor?key=k")
        for part in html.split(separator: "<option ").dropFirst() {
            let value = try #require(String(part).attribute("value", after: ""))
            #expect(try await console.change("k", to: .string(value)).status == 200)
        }
        #expect(Defaults(store)[key] == .high)
    }

    @Test func `a list has a control for each element`() async throws {
        let html = try await editor(Defaults.Key<[String]>("k", default: ["a", "b<"]))
        #expect(html.ranges(of: #"<input type="text""#).count == 2 && html.contains(#"data-form="list""#))
        #expect(html.contains("b&lt;"))
        // An element that a line cannot have.
        #expect(try await editor(Defaults.Key<[String]>("k", default: ["a\nb"])).contains(#"data-form="json""#))
    }

    @Test func `a structure is JSON`() async throws {
        let html = try await editor(Defaults.Key<Size>("k", default: Size(width: 3)))
        #expect(html.contains(#"data-form="json""#) && html.contains("&quot;width&quot;: 3"))
        #expect(try await editor(Defaults.Key<Size?>("k")).contains("<textarea"))
        #expect(try await editor(Defaults.Key<[String: Int]>("k", default: [:])).contains(#"data-form="json""#))
    }

    @Test func `a text has one line or several`() async throws {
        let key = Defaults.Key<String>("k", default: "")
        #expect(try await editor(key).contains(#"<input type="text""#))
        #expect(try await editor(key, ["k": "\n\na"]).contains("spellcheck=\"false\">\n\n\na</textarea>"))
        // Characters that a control cannot have are escaped in JSON.
        let html = try await editor(key, ["k": "a\u{0}\u{202E}\r\n"])
        #expect(html.contains(#"data-form="json""#) && html.contains(#"a\u0000\u202e\r\n"#))
    }

    @Test func `units and dates have the text that people write`() async throws {
        #expect(try await editor(Defaults.Key<Duration>("k", default: .seconds(90))).contains(#"value="1m30s""#))
        let date = try await editor(Defaults.Key<Date?>("k"), ["k": .date(Date(timeIntervalSinceReferenceDate: 0))])
        #expect(date.contains(#"value="2001-01-01T00:00:00Z""#))
    }

    @Test func `a secret begins empty`() async throws {
        let html = try await editor(Defaults.Key<String?>("k").secret(), ["k": "concealed"])
        #expect(html.contains("class=\"secret\"") && html.contains("></textarea>") && !html.contains("concealed"))
    }
}
