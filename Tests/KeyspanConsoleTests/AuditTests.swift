import Foundation
import HTTPTypes
import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

private typealias Event = SettingsConsole.AuditEvent

/// The events of an audit trail.
@Suite(.heavy, .seeded)
struct AuditTests {
    private static let title = Defaults.Key<String>("title", default: "Notes").validated(by: .notEmpty)
    private static let count = Defaults.Key<Int>("count", default: 10).validated(by: .range(1...100))
    private static let fixed = Defaults.Key<Int>("fixed", default: 0)
    private static let token = Defaults.Key<String?>("token").secret()
    private static let keys: [Defaults.AnyKey] = [title, count, fixed, token]

    private let store = InMemoryStore(["title": "same", "token": "old-secret"])
    private let events = Recorder<Event>()

    private func console(
        in store: (any PropertyListStore)? = nil,
        as access: SettingsConsole.Access = .editing(as: "ann", editable: { $0.name != "fixed" }),
        _ change: (inout SettingsConsole.Options) -> Void = { _ in }
    ) -> TestConsole {
        TestConsole(Self.keys, in: store ?? self.store, as: access) {
            $0.onAuditEvent = { [events] in events.record($0) }
            change(&$0)
        }
    }

    private func outcomes(of event: Event?) -> [String: Event.Outcome] {
        Dictionary(uniqueKeysWithValues: event?.changes.map { ($0.key, $0.outcome) } ?? [])
    }

    @Test func `a saved change has time, sender, person, key and digests`() async throws {
        let begin = Date()
        try await console().change("title", to: "other")
        let event = try #require(events.last)
        #expect(events.count == 1 && event.time >= begin && event.time <= Date())
        #expect(event.sender == "127.0.0.1" && event.person == "ann" && event.refusal == nil)
        let change = try #require(event.changes.first)
        #expect(event.changes.count == 1 && change.key == "title" && change.kind == .set && change.outcome == .saved)
        // printf '"same"' | sha256sum
        #expect(change.old == "106c4202d3d02a3ff34000f19889ac489e6a40f2ee68ea9e3984633ab059dd4d")
        #expect(change.new == "d448c0e0f65da7948e3edb7805b5272b54f75f427c33333157324b626f5ca51f")
        try await console().change("title", "reset", to: true)
        let reset = try #require(events.last?.changes.first)
        #expect(reset.kind == .reset && reset.outcome == .saved && reset.old == change.new && reset.new == nil)
    }

    @Test func `an edit that changes nothing is unchanged, and not in the history`() async throws {
        let console = console()
        try await console.change("title", to: "same")
        try await console.change("count", "reset", to: true)
        #expect(events.values.flatMap(\.changes).map(\.outcome) == [.unchanged, .unchanged])
        #expect(events.values.flatMap(\.changes).map(\.kind) == [.set, .reset])
        #expect(events.values.first?.changes.first.map { $0.old == $0.new && $0.old != nil } == true)
        #expect(try await !console.page().contains("<b>ann</b>"))
    }

    @Test func `each change of a batch has its outcome`() async throws {
        let console = console()
        let first = PropertyListValue.string(try await console.version(of: "title"))
        try await _ = console.send([
            ["key": "title", "version": first, "text": "same"], ["key": "count", "version": first, "text": "7"],
        ])
        #expect(outcomes(of: events.last) == ["title": .unchanged, "count": .saved])
        let version = PropertyListValue.string(try await console.version(of: "count"))
        try await _ = console.send([
            ["key": "title", "version": "0.0", "text": "x"], ["key": "count", "version": version, "text": "8"],
        ])
        #expect(outcomes(of: events.last) == ["title": .conflict, "count": .skipped])
        Defaults(store)[Self.title] = "again"
        try await _ = console.send([
            ["key": "title", "version": .string(try await console.version(of: "title")), "text": ""],
            ["key": "count", "version": version, "text": "8"],
        ])
        #expect(outcomes(of: events.last) == ["title": .invalid, "count": .skipped])
        try await _ = console.send([
            ["key": "title", "version": .string(try await console.version(of: "title")), "text": "x"],
            ["key": "count", "version": version, "json": "{"], ["key": "fixed", "text": "1"],
            ["key": "absent", "reset": true],
        ])
        #expect(
            outcomes(of: events.last) == ["title": .skipped, "count": .invalid, "fixed": .denied, "absent": .denied]
        )
        #expect(events.last?.changes.first { $0.key == "fixed" }?.old == nil)
        // Of what was submitted and not saved, the digest says what it was.
        let invalid = try #require(events.last?.changes.first { $0.key == "count" })
        #expect(invalid.new != nil && invalid.new != invalid.old && invalid.old != nil)
        #expect(events.count == 4)
    }

    @Test func `the store has the last word`() async throws {
        let racing = ScriptedStore(["title": "seen"])
        let console = console(in: racing)
        racing.beforeNext(.write) { Defaults(racing.base)[Self.title] = "theirs" }
        #expect(try await console.change("title", to: "mine").status == 409)
        #expect(outcomes(of: events.last) == ["title": .conflict])
        racing.failWrites(
            with: StoreError(.init("full"), store: "s", reason: "it is full", remedy: "wait"),
            afterApplying: false
        )
        #expect(try await console.change("title", to: "mine").status == 503)
        #expect(outcomes(of: events.last) == ["title": .failed] && events.count == 2)
    }

    @Test func `a request that is refused is reported, and one that reads is not`() async throws {
        let body = #"{"changes": []}"#
        let type = (name: "Content-Type", value: "application/json")
        let console = console { $0.maximumBodySize = 20 }
        let token = (name: "X-Keyspan-Token", value: try await console.token())
        for target in ["", "/", "/console.js", "/editor?key=title", "/value?key=token", "/events", "/none"] {
            _ = await console.respond(target)
        }
        #expect(events.count == 0)
        func refusal(_ headers: [(name: String, value: String)], _ body: String = body) async -> Event? {
            _ = await console.respond("POST", "/changes", headers, body: body)
            return events.last
        }
        #expect(await refusal([type])?.refusal == .invalidToken)
        #expect(await refusal([token])?.refusal == .notJSON)
        #expect(await refusal([type, token, ("Sec-Fetch-Site", "cross-site")])?.refusal == .foreignOrigin)
        #expect(await refusal([type, token], "{")?.refusal == .malformed)
        let large = await refusal([type, token], body + body)
        #expect(large?.refusal == .tooLarge && large?.person == "ann" && large?.sender == "127.0.0.1")
        #expect(await console.respond("/editor?key=fixed").status == 403)
        let opened = try #require(events.last?.changes.first)
        #expect(opened.key == "fixed" && opened.kind == .open && opened.outcome == .denied)
        #expect(events.count == 6)
        for (access, target, refusal) in [
            (.unauthorized(challenge: "Bearer"), "/", .unauthorized), (.forbidden, "/console.js", .forbidden),
            (.reading(as: "ben"), "/changes", .readOnly),
        ] as [(SettingsConsole.Access, String, Event.Refusal)] {
            _ = await self.console(as: access).respond("POST", target)
            #expect(events.last?.refusal == refusal && events.last?.changes == [])
        }
        _ = await self.console { $0.hosts = ["localhost"] }.respond("GET", "/", [("Host", "evil.example")])
        #expect(events.last?.refusal == .unknownHost && events.count == 10)
    }

    @Test func `a secret has no digest, whatever becomes of it`() async throws {
        let console = console()
        for text in ["new-secret", "new-secret", ""] { try await console.change("token", to: .string(text)) }
        try await _ = console.send([["key": "token", "version": "0.0", "json": "\"new-secret\""]])
        try await console.change("token", "reset", to: true)
        let changes = events.values.flatMap(\.changes)
        #expect(changes.map(\.outcome) == [.saved, .unchanged, .invalid, .conflict, .saved])
        #expect(changes.allSatisfy { $0.old == nil && $0.new == nil })
        #expect(!events.values.description.contains("secret"))
    }

    @Test func `what is saved in the trail is in the history, and nothing else`() async throws {
        let layers = LayeredStore([
            .init("environment", EnvironmentStore(prefix: "APP_", environment: ["APP_COUNT": "70"])),
            .init("memory", store, isWritable: true), .init("vendor", InMemoryStore(["title": "same", "fixed": 3])),
        ])
        let console = console(in: layers, as: .editing(as: "ann"))
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<200 {
            let key = ["title", "count", "fixed"].randomElement(using: &generator) ?? ""
            let text = key == "title" ? ["same", "x", ""] : ["3", "4", "many"]
            if Bool.random(using: &generator) {
                try await console.change(key, "reset", to: true)
            } else {
                try await console.change(key, to: .string(text.randomElement(using: &generator) ?? ""))
            }
        }
        let saved = events.values.flatMap(\.changes).filter { $0.outcome == .saved }
        let history = try await console.page().split(separator: "<ol reversed").last ?? ""
        #expect(events.count == 200 && history.ranges(of: "<b>ann</b>").count == saved.count)
        #expect(!history.contains("elsewhere"))
    }

    @Test(arguments: [
        "a\nb", "\"}\u{85}", "\u{202E}gnp", "\u{2028}", "a\u{0}\u{1B}[2J", "\u{FEFF}\u{E0041}", "é\u{1F600}",
    ])
    func `no text of a person ends the line or hides a part of it`(_ text: String) async throws {
        let key = Defaults.Key<Int>(text, default: 0)
        let console = TestConsole([key], in: InMemoryStore(), as: .editing(as: text)) {
            $0.onAuditEvent = { [events] in events.record($0) }
        }
        _ = await console.console.respond(to: HTTPRequest("POST", path: "/settings-console/changes"), from: text)
        try await _ = console.send([
            ["key": .string(text), "text": .string(text)], ["key": "\(text) absent", "text": "x"],
        ])
        #expect(events.count == 2)
        for event in events.values {
            let line = event.description
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.properties.generalCategory != .control })
            #expect(!["\u{202E}", "\u{2028}", "\u{FEFF}", "\u{E0041}"].contains { line.unicodeScalars.contains($0) })
            let members = try #require(JSONText.parse(Array(line.utf8)).dictionaryValue)
            #expect(members["person"]?.stringValue.map { $0.utf8.elementsEqual(text.utf8) } == true)
        }
    }

    @Test func `an event is a line of JSON`() async throws {
        try await console().change("title", to: "")
        let line = try #require(events.last?.description)
        let change = """
            {"key": "title", "kind": "set", "new": "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126", \
            "old": "106c4202d3d02a3ff34000f19889ac489e6a40f2ee68ea9e3984633ab059dd4d", "outcome": "invalid"}
            """
        #expect(
            line.hasPrefix("{\"changes\": [\(change)], \"person\": \"ann\", \"sender\": \"127.0.0.1\", \"time\": \"20")
        )
        #expect(line.hasSuffix("Z\"}"))
    }

    @Test(arguments: [0, 3, 53, 54, 55, 61, 62, 63, 1000])
    func `digests are those of SHA-256`(_ count: Int) async throws {
        let store = InMemoryStore(["title": .string(String(repeating: "a", count: count))])
        try await console(in: store).change("title", "reset", to: true)
        #expect(events.last?.changes.first?.old == Self.references[count])
    }

    /// The digests of texts of the letter a, by their lengths: `printf '"aaa"' | sha256sum`.
    private static let references = [
        0: "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126",
        3: "ee218b66abaadc6ef42bcb45285bc02cf0102e8a5caef355765e28540eeb8bea",
        53: "2ae89a8121a3f9d2709899b414da4c60234316951093ce35f41ce954a09533f4",
        54: "9b68496ab8c784a9ed22d25a7e3aada1736d7097061bb3149f3d66f1e22ceeef",
        55: "899c27160f0b1e563f2c790bfc92ae0d1a715aaa292e1d11d04fa61ca1c4e917",
        61: "813662a26c997431c1990ca2424fad200f23983afe7b5543e2daf2748da424a2",
        62: "1cd1b6277a35426076612315059afa72e6903b84575ebdd1507d73697be9dbd3",
        63: "e7d55ca10614618e5755859f93ac280712a04f76466e7bc65e4f488f1153ec70",
        1000: "955d04731f2adae1d94c940c2b9f72677431310d92f650dc581251045f4dbcdb",
    ]
}
