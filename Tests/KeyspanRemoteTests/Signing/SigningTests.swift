import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

@testable import KeyspanRemote

@Suite
struct SigningTests {
    private static let key = try? SigningKey.generate(id: "k-1")

    private func key() throws -> SigningKey { try #require(Self.key) }

    private static let values: PropertyListDictionary = [
        "boolean": true, "one": 1, "real": 1.0, "large": .integer(PropertyListInteger(UInt64.max)),
        "negative zero": .real(-0.0), "infinite": .real(.infinity), "text": "a\nb\u{2028}\"é\u{7F}",
        "date": .date(Date(timeIntervalSinceReferenceDate: 0.25)), "data": .data(Data([0, 255])),
        "array": [1, "b", [true]], "nested": ["a": ["b": 1]], "tag": ["$data": "aGk="], "": 1, "e\u{301}": 1,
        "\u{E9}": 2,
    ]

    private func document(_ values: PropertyListDictionary = values, group: String = "beta") -> SettingsDocument {
        SettingsDocument(
            name: "näme",
            group: group,
            revision: 12,
            state: SettingsState(of: SettingsState.text(of: values), for: group),
            validity: Date(timeIntervalSince1970: 1_800_000_000)..<Date(timeIntervalSince1970: 1_800_604_800),
            values: values
        )
    }

    private func reread(_ bytes: [UInt8], _ key: VerificationKey) throws -> SettingsDocument {
        let signed = try SignedMessage(reading: bytes, atMost: 1 << 16)
        try signed.verify(with: key)
        return try SettingsDocument(content: signed.content)
    }

    /// The kind of the error of an operation that must fail.
    private func refusal<Result>(_ operation: () throws -> Result) -> RemoteStoreError.Kind? {
        #expect(throws: RemoteStoreError.self) { _ = try operation() }?.kind
    }

    @Test func `a message reads back with values of all kinds`() throws {
        let (key, document) = (try key(), document())
        let signed = SignedMessage(document.content, signedWith: key)
        for bytes in [signed.bytes, signed.bytes.dropLast()] {
            #expect(try reread(bytes, key.verificationKey) == document)
            let read = try SignedMessage(reading: bytes, atMost: 1 << 16)
            #expect(read.bytes == signed.bytes && read.keyID == "k-1" && read.signature == signed.signature)
        }
        #expect(signed.bytes.count { $0 == 0x0A } == 2)
        let tagged = self.document(["$data": "aGk="])
        #expect(try SettingsDocument(content: tagged.content) == tagged)
    }

    @Test func `the text of a document is that of the format`() throws {
        let document = document(["b": 1, "a": 1.0, "c": .data(Data("hi".utf8))], group: "all")
        let text = String(decoding: document.content, as: UTF8.self)
        // The state was computed with Python's hashlib.
        let state = "8beefeb106ae7eceee10f4c7c60dfdbb"
        #expect(
            text
                == #"{"expires": "2027-01-22T08:00:00Z", "group": "all", "issued": "2027-01-15T08:00:00Z", "name": "näme", "#
                + #""revision": 12, "state": "\#(state)", "values": {"a": 1.0, "b": 1, "c": {"$data": "aGk="}}}"#
        )
        let signed = String(decoding: SignedMessage(document.content, signedWith: try key()).bytes, as: UTF8.self)
        #expect(signed.hasPrefix("keyspan-settings 2 k-1 ") && signed.hasSuffix("==\n\(text)\n"))
    }

    @Test func `equal values of one group have one state`() {
        let (one, other) = (SettingsState.text(of: ["a": 1, "b": 2]), SettingsState.text(of: ["b": 2, "a": 1]))
        #expect(SettingsState(of: one, for: "all") == SettingsState(of: other, for: "all"))
        let others = [
            SettingsState(of: one, for: "b"),
            SettingsState(of: SettingsState.text(of: ["a": 1.0, "b": 2]), for: "all"),
            SettingsState(of: SettingsState.text(of: [:]), for: "all"),
        ]
        for state in others { #expect(state != SettingsState(of: one, for: "all")) }
    }

    @Test func `a message that differs in any bit is refused`() throws {
        let key = try key()
        let bytes = SignedMessage(document(["a": 1]).content, signedWith: key).bytes
        for offset in bytes.indices.dropLast() {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                #expect(throws: RemoteStoreError.self) { try reread(damaged, key.verificationKey) }
            }
        }
        for count in bytes.indices.dropLast() {
            #expect(throws: RemoteStoreError.self) { try reread(Array(bytes.prefix(count)), key.verificationKey) }
        }
    }

    @Test func `the JSON is not read before the signature is verified`() throws {
        let key = try key()
        let bytes = SignedMessage(Array("{".utf8), signedWith: key).bytes
        #expect(refusal { try reread(bytes.flipped(at: bytes.count - 2), key.verificationKey) } == .invalidSignature)
        #expect(refusal { try reread(bytes, key.verificationKey) } == .unreadableContent)
    }

    @Test func `a signature is good for its key only`() throws {
        let (key, other) = (try key(), try SigningKey.generate(id: "k-2"))
        let bytes = SignedMessage(document().content, signedWith: key).bytes
        #expect(refusal { try reread(bytes, other.verificationKey) } == .invalidSignature)
        let impostor = try VerificationKey(id: "k-1", rawRepresentation: other.verificationKey.rawRepresentation)
        #expect(refusal { try reread(bytes, impostor) } == .invalidSignature)
        // The same key under another identifier: the identifier is signed too.
        let renamed = try VerificationKey(id: "k-3", rawRepresentation: key.verificationKey.rawRepresentation)
        let text = String(decoding: bytes, as: UTF8.self).replacing(" k-1 ", with: " k-3 ", maxReplacements: 1)
        #expect(refusal { try reread(Array(text.utf8), renamed) } == .invalidSignature)
    }

    @Test(arguments: [
        "", "\n", "x", "keyspan-settings", "keyspan-settings 2\n{}", "keyspan-settings 2 k AAAA\n{}",
        "keyspan-settings 12345 k AAAA\n{}", "Keyspan-settings 2 k AAAA\n{}",
        "keyspan-settings  k-1 A\n{}", "{}\n{}", "<html>\n<body>",
    ])
    func `another text is not a message`(_ text: String) throws {
        #expect(refusal { try SignedMessage(reading: Array(text.utf8), atMost: 1 << 10) } == .malformed)
    }

    @Test(arguments: ["1", "3", "0", "02", "9999", "x"])
    func `another version of the format is refused by its own error`(_ version: String) throws {
        let text = String(decoding: SignedMessage(document().content, signedWith: try key()).bytes, as: UTF8.self)
        let other = text.replacing("settings 2 ", with: "settings \(version) ", maxReplacements: 1)
        #expect(refusal { try SignedMessage(reading: Array(other.utf8), atMost: 1 << 16) } == .unsupportedVersion)
    }

    @Test func `a message of another form is refused`() throws {
        let bytes = SignedMessage(document().content, signedWith: try key()).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        let others = [
            text + "\n", text + "{}", text.replacing("\n{", with: "\n\n{"), text.replacing(" k-1 ", with: "  k-1 "),
            text.replacing("==\n", with: "== \n"), text.replacing("==\n", with: "\n"),
            text.replacing(" k-1 ", with: " k/1 "),
            " " + text, text.replacing("keyspan", with: "Keyspan"), text.replacing("\n", with: "\r\n"),
            text.replacing(" k-1 ", with: " \(String(repeating: "k", count: 65)) "),
        ]
        for other in others {
            #expect(refusal { try SignedMessage(reading: Array(other.utf8), atMost: 1 << 16) } == .malformed)
        }
        #expect(refusal { try SignedMessage(reading: bytes, atMost: bytes.count - 1) } == .tooLarge)
        #expect(try SignedMessage(reading: bytes, atMost: bytes.count).bytes == bytes)
    }

    @Test func `members of later formats are ignored, and missing ones are not`() throws {
        let text = String(decoding: document(["a": 1]).content, as: UTF8.self)
        let later = text.replacing("{\"expires\"", with: "{\"new\": {\"x\": [1]}, \"expires\"")
        #expect(later != text)
        #expect(try SettingsDocument(content: Array(later.utf8)) == document(["a": 1]))
        for member in ["name", "group", "revision", "state", "issued", "expires", "values"] {
            let without = text.replacing("\"\(member)\":", with: "\"other\":")
            #expect(throws: RemoteStoreError.self) { try SettingsDocument(content: Array(without.utf8)) }
        }
    }

    @Test(arguments: [
        ("revision", "0", true), ("revision", "9007199254740991", true), ("revision", "9007199254740992", false),
        ("revision", "-1", false), ("revision", "1.0", false), ("revision", "\"1\"", false),
        ("revision", "null", false),
        ("group", "\"all\"", true), ("group", "\"\"", false), ("group", "\"a/b\"", false), ("group", "1", false),
        ("name", "\"\"", true), ("name", "[]", false), ("state", "\"0123456789abcdef0123456789abcdef\"", true),
        ("state", "\"0123456789ABCDEF0123456789abcdef\"", false), ("state", "\"0123456789abcdef\"", false),
        ("state", "\"0123456789abcdef0123456789abcdefg\"", false), ("issued", "\"2027-01-22T08:00:00Z\"", true),
        ("issued", "\"2027-01-22T08:00:01Z\"", false), ("issued", "0", false),
        ("expires", "\"2027-01-15T07:59:59Z\"", false),
        ("expires", "\"tomorrow\"", false), ("values", "{}", true), ("values", "[]", false),
        ("values", "{\"a\": 1, \"a\": 2}", false),
    ])
    func `a member has one form`(_ member: String, _ value: String, _ isGood: Bool) throws {
        let text = String(decoding: document(["a": 1]).content, as: UTF8.self)
        let parts = try #require(text.firstMatch(of: try Regex("\"\(member)\": (\\{[^}]*\\}|\"[^\"]*\"|[0-9]+)")))
        let other = text.replacingCharacters(in: parts.range, with: "\"\(member)\": \(value)")
        let read = try? SettingsDocument(content: Array(other.utf8))
        #expect(isGood == (read != nil), "\(other)")
    }

    @Test(arguments: ["", "a b", "ä", "a/b", String(repeating: "a", count: 65)])
    func `an identifier that is none is refused`(_ id: String) {
        #expect(throws: SettingsKeyError.self) { try SigningKey.generate(id: id) }
        #expect(throws: SettingsKeyError.self) {
            try VerificationKey(id: id, rawRepresentation: [UInt8](repeating: 1, count: 32))
        }
    }

    @Test func `keys read back from bytes and text, and no description shows the private one`() throws {
        let key = try key()
        let copies = [
            try SigningKey(id: "k-1", rawRepresentation: key.rawRepresentation),
            try SigningKey(id: "k-1", base64Encoded: key.base64Encoded),
        ]
        for copy in copies { #expect(copy.verificationKey.base64Encoded == key.verificationKey.base64Encoded) }
        #expect(throws: SettingsKeyError.self) { try SigningKey(id: "a", base64Encoded: "no") }
        #expect(throws: SettingsKeyError.self) { try SigningKey(id: "a", rawRepresentation: [1, 2]) }
        #expect(throws: SettingsKeyError.self) { try VerificationKey(id: "a", base64Encoded: "AAAA") }
        var dumped = ""
        dump(key, to: &dumped)
        dump(Optional(key), to: &dumped)
        let texts = [dumped, "\(key)", String(reflecting: key), "\([key])"]
        let bytes = key.rawRepresentation.map(String.init).prefix(3).joined(separator: ", ")
        for text in texts { #expect(!text.contains(key.base64Encoded) && !text.contains(bytes)) }
        #expect("\(key)" == "signing key k-1")
    }

    @Test func `a signature of another implementation is accepted`() throws {
        // RFC 8032, section 7.1, test 1: the key and the signature of no bytes.
        let key = try VerificationKey(id: "rfc", base64Encoded: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
        let signature: [UInt8] = [
            0xe5, 0x56, 0x43, 0x00, 0xc3, 0x60, 0xac, 0x72, 0x90, 0x86, 0xe2, 0xcc, 0x80, 0x6e, 0x82, 0x8a, 0x84, 0x87,
            0x7f, 0x1e, 0xb8, 0xe5, 0xd9, 0x74, 0xd8, 0x73, 0xe0, 0x65, 0x22, 0x49, 0x01, 0x55, 0x5f, 0xb8, 0x82, 0x15,
            0x90, 0xa3, 0x3b, 0xac, 0xc6, 0x1e, 0x39, 0x70, 0x1c, 0xf9, 0xb4, 0x6b, 0xd2, 0x5b, 0xf5, 0xf0, 0x59, 0x5b,
            0xbe, 0x24, 0x65, 0x51, 0x41, 0x43, 0x8e, 0x7a, 0x10, 0x0b,
        ]
        #expect(key.isValid(signature, for: []))
        #expect(!key.isValid(signature, for: [0]))
    }
}
