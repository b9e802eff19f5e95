#if os(Linux) || os(macOS)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A reader in Python, written from the article about the format, reads what a publisher sends.
@Suite(.heavy)
struct PythonReaderTests {
    private struct Message {
        let bytes: [UInt8]
        var now = TestClock().now
        /// The kind of the error; `nil` for a document that is taken.
        var error: String?
        /// The values of a document that is taken.
        var values: PropertyListDictionary = [:]
    }

    /// Lets the reader read messages one after the other, as a client of a group, and compares what it prints.
    private func check(
        _ messages: [Message],
        keys: [VerificationKey],
        name: String = TestServer.name,
        group: String = "all",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard TestProcess.isInstalled("python3") else { try Test.cancel("Python is not installed") }
        let script = try #require(#filePath.range(of: "PythonReaderTests.swift")).lowerBound
        let input: PropertyListTable = [
            "name": .string(name), "group": .string(group), "tolerance": 86_400,
            "keys": .array(keys.map { ["id": .string($0.id), "key": .string($0.base64Encoded)] }),
            "messages": .array(
                messages.map { message in
                    let now = PropertyListValue.real(message.now.timeIntervalSince1970)
                    return ["text": .string(Data(message.bytes).base64EncodedString()), "now": now]
                }
            ),
        ]
        let words = ["python3", "\(#filePath.prefix(upTo: script))read_settings.py"]
        let output = try TestProcess.run(words, input: JSONText.encode(input))
        guard case .array(let answers) = try JSONText.parse(Array(output.utf8)) else { return }
        #expect(answers.count == messages.count, sourceLocation: sourceLocation)
        for (number, (answer, message)) in zip(answers, messages).enumerated() {
            let comment = Comment(rawValue: "message \(number) of \(messages.count)")
            if let error = message.error {
                #expect(answer == ["error": .string(error)], comment, sourceLocation: sourceLocation)
            } else {
                let version = try DocumentVerifier(of: name, keys, RemoteStoreOptions())
                    .version(message.bytes, for: group, at: message.now)
                #expect(version.values == message.values, comment, sourceLocation: sourceLocation)
                let tag = PropertyListValue.string(version.tag.text)
                #expect(answer["tag"] == tag, comment, sourceLocation: sourceLocation)
                let values = Self.form(of: .dictionary(message.values))
                #expect(answer["values"] == values, comment, sourceLocation: sourceLocation)
            }
        }
    }

    /// The form in which the reader prints a value: its type and its bits.
    private static func form(of value: PropertyListValue) -> PropertyListValue {
        func bits(_ number: Double) -> PropertyListValue {
            let digits = String((number.isNaN ? .nan : number).bitPattern, radix: 16)
            return .string(String(repeating: "0", count: 16 - digits.count) + digits)
        }
        return switch value {
        case .boolean: ["boolean": value]
        case .integer(let integer): ["integer": .string("\(integer)")]
        case .real(let number): ["real": bits(number)]
        case .string: ["string": value]
        case .date(let date): ["date": bits(date.timeIntervalSinceReferenceDate)]
        case .data(let data):
            ["data": .string(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())]
        case .array(let elements): ["array": .array(elements.map(form))]
        case .dictionary(let entries):
            [
                "dictionary": .array(
                    entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { entry in
                        [.string(entry.key), form(of: entry.value)]
                    }
                )
            ]
        }
    }

    private static func date(_ interval: Double) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: interval))
    }

    private static let values: PropertyListDictionary = [
        "": 1, "e\u{301}": 1, "\u{E9}": 2, "true": true, "false": false, "text": "a\nb\u{2028}\"é\u{7F}\u{0}\u{10FFFF}",
        "largest": .integer(PropertyListInteger(UInt64.max)), "smallest": .integer(PropertyListInteger(Int64.min)),
        "one": 1, "one point": 1.0, "zero": 0, "negative zero": -0.0, "tenth": 0.1, "tiny": 5e-324,
        "huge": .real(.greatestFiniteMagnitude), "not a number": .real(.nan), "infinite": .real(.infinity),
        "negative infinite": .real(-.infinity), "data": .data(Data([0, 255, 16])), "no data": .data(Data()),
        "date": date(0.25), "early date": date(-63_114_076_800), "late date": date(252_423_993_599),
        "old date": date(-1e9 - 0.125), "far date": date(4.5e11), "infinite date": date(.infinity),
        "no date": date(.nan), "array": [1, "b", [true, []], [:]], "nested": ["a": ["b": 1]],
        "looks like data": ["$data": "aGk="], "looks like a date": ["$date": "2026-11-21T10:50:00Z"],
        "looks like a dictionary": ["$dictionary": ["$data": "aGk="]], "is no data": ["$data": "aGk"],
        "is no real": ["$real": "1"],
        "deep": (0..<40).reduce(.data(Data([1]))) { value, _ in .array([value]) },
        "two members": ["$data": "aGk=", "a": 1], "is no date": ["$date": "soon"],
    ]

    // MARK: - Values

    @Test func `the reader reads values of all kinds`() throws {
        let server = try TestServer()
        var messages = [Message(bytes: server.sign(Self.values, revision: 1), values: Self.values)]
        // The values themselves can look like the form of one.
        for (number, values) in [["$data": "aGk="], ["$dictionary": [:]], [:]].enumerated()
            as EnumeratedSequence<[PropertyListDictionary]>
        {
            messages.append(Message(bytes: server.sign(values, revision: Int64(number) + 2), values: values))
        }
        try check(messages, keys: [server.key.verificationKey])
    }

    @Test func `the reader reads the documents of a publisher's groups`() throws {
        let overlay = InMemoryStore(["title": "é \"x\"", "port": 81])
        let server = try TestServer(["limit": 5, "title": "base", "internal": "x"], groups: ["be.t-a_": [overlay]])
        let key = server.key.verificationKey
        let other = Message(bytes: try server.document(), error: "wrongGroup")
        let first: PropertyListDictionary = ["limit": 5, "title": "é \"x\"", "port": 81]
        var messages = [other, Message(bytes: try server.document("be.t-a_"), values: first)]
        server.defaults[TestKeys.limit] = 6
        messages.append(
            Message(bytes: try server.document("be.t-a_"), values: ["limit": 6, "title": "é \"x\"", "port": 81])
        )
        messages.append(Message(bytes: messages[1].bytes, error: "olderRevision"))
        try check(messages, keys: [key], group: "be.t-a_")
        try check([Message(bytes: other.bytes, values: ["limit": 5, "title": "base"])], keys: [key])
    }

    @Test func `the reader reads the document of the article`() throws {
        let repository = try #require(#filePath.range(of: "/Tests/")).lowerBound
        let path = "/Sources/KeyspanRemote/KeyspanRemote.docc/RemoteSettingsFormat.md"
        let article = try String(contentsOfFile: #filePath.prefix(upTo: repository) + path, encoding: .utf8)
        let start = try #require(article.range(of: "keyspan-settings 2 2026-11 ")).lowerBound
        let end = try #require(article.range(of: "```", range: start..<article.endIndex)).lowerBound
        let values: PropertyListDictionary = [
            "limit": 30, "ratio": 1.0, "since": .date(try #require(Date(messageText: "2026-11-21T10:50:00Z"))),
        ]
        let now = try #require(Date(messageText: "2026-11-22T12:00:00Z"))
        let message = Message(bytes: Array(article[start..<end].utf8), now: now, values: values)
        let key = try SigningKey(id: "2026-11", rawRepresentation: 1...32).verificationKey
        try check([message], keys: [key], name: "greeter", group: "beta")
    }

    // MARK: - Refusals

    @Test func `the reader refuses what a client refuses, by the same name`() throws {
        let (server, clock) = (try TestServer(), TestClock())
        let good = server.sign(["limit": 1], revision: 1)
        let text = String(decoding: good, as: UTF8.self)
        let impostor = try SigningKey.generate(id: "test-1")
        let unknown = try SigningKey.generate(id: "test-2")
        func signed(_ content: String) -> [UInt8] { SignedMessage(Array(content.utf8), signedWith: server.key).bytes }
        let content = String(text.split(separator: "\n")[1])
        let cases: [(bytes: [UInt8], error: String)] = [
            ([], "malformed"), (Array("<html>\n<body>".utf8), "malformed"), (good + [0x0A, 0x0A], "malformed"),
            (Array(text.replacing("settings 2 ", with: "settings 1 ").utf8), "unsupportedVersion"),
            (server.sign([:], revision: 1, key: unknown), "unknownKey"),
            (server.sign([:], revision: 1, key: impostor), "invalidSignature"),
            (good.flipped(at: good.count - 4), "invalidSignature"),
            (good.flipped(at: 40), "malformed|invalidSignature"),
            (signed("{"), "unreadableContent"), (signed("[]"), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": 1, \"limit\": 2")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": [null]")), "unreadableContent"),
            (signed(content.replacing("\"revision\": 1", with: "\"revision\": 1.0")), "unreadableContent"),
            (signed(content.replacing("\"revision\": 1", with: "\"revision\": 9007199254740992")), "unreadableContent"),
            (signed(content.replacing("\"revision\": 1", with: "\"revision\": -1")), "unreadableContent"),
            (signed(content.replacing("\"all\"", with: "\"a/b\"")), "unreadableContent"),
            (signed(content.replacing("\"group\": \"all\", ", with: "")), "unreadableContent"),
            (signed(content.replacing("\"all\"", with: "\"changes\"")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": 1e400")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": 1e-400")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": 0.12345678901234567890")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": 18446744073709551616")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": NaN")), "unreadableContent"),
            (signed(content.replacing("\"limit\": 1", with: "\"limit\": \"\\ud800\"")), "unreadableContent"),
            (
                signed(
                    content.replacing(
                        "\"limit\": 1",
                        with: "\"limit\": \(String(repeating: "[", count: 128))\(String(repeating: "]", count: 128))"
                    )
                ), "unreadableContent"
            ),
            (server.sign([:], revision: 1, name: "another"), "wrongPublisher"),
            (server.sign([:], revision: 1, group: "beta"), "wrongGroup"),
        ]
        let keys = [server.key.verificationKey]
        let verifier = try DocumentVerifier(of: TestServer.name, keys, RemoteStoreOptions())
        let messages = cases.map { bytes, error in
            let found = #expect(throws: RemoteStoreError.self, "\(error)") {
                try verifier.version(bytes, for: "all", at: clock.now)
            }
            let kind = found?.kind.rawValue ?? ""
            #expect(error.split(separator: "|").contains(kind[...]), "\(error)")
            return Message(bytes: bytes, error: kind)
        }
        try check(messages, keys: keys)
    }

    @Test func `the reader knows the times and the order of documents`() throws {
        let clock = TestClock()
        let (old, new) = (try SigningKey.generate(id: "a"), try SigningKey.generate(id: "b"))
        let server = try TestServer(key: old, clock: clock)
        let day = 86_400.0
        func at(_ seconds: Double) -> Date { clock.now.addingTimeInterval(seconds) }
        let one: PropertyListDictionary = ["limit": 1]
        let two: PropertyListDictionary = ["limit": 2]
        let largest = Int64(1 << 53) - 1
        var messages = [
            Message(bytes: server.sign(one, revision: 5), now: at(2 * day + 1), error: "expired"),
            Message(bytes: server.sign(one, revision: 5), now: at(-day - 1), error: "notYetValid"),
            Message(bytes: server.sign(one, revision: 5), now: at(2 * day), values: one),
            Message(bytes: server.sign(one, revision: 5), now: at(-day), values: one),
            Message(bytes: server.sign(two, revision: 4), error: "olderRevision"),
            // Equal values renew the document before, with a smaller number too.
            Message(bytes: server.sign(one, revision: 3), values: one),
            Message(bytes: server.sign(two, revision: 4), error: "olderRevision"),
            Message(bytes: server.sign(two, revision: largest), values: two),
            Message(bytes: server.sign(one, revision: 6), error: "olderRevision"),
            // The later key outranks all of the earlier one.
            Message(bytes: server.sign(one, revision: 0, key: new), values: one),
            Message(bytes: server.sign(two, revision: largest), error: "revokedKey"),
        ]
        let earlier = server.sign(one, revision: 0, key: new)
        clock.advance(by: 1)
        messages.append(Message(bytes: server.sign(one, revision: 0, key: new), values: one))
        messages.append(Message(bytes: earlier, error: "olderRevision"))
        try check(messages, keys: [old.verificationKey, new.verificationKey])
    }
}
#endif
