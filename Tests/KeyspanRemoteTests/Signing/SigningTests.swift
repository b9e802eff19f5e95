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

    private func message(
        _ kind: SettingsMessage.Kind = .document,
        _ values: PropertyListDictionary = values
    ) -> SettingsMessage {
        SettingsMessage(
            kind: kind,
            name: "näme",
            revision: 12,
            state: SettingsState(of: SettingsState.text(of: values)),
            validity: Date(timeIntervalSince1970: 1_800_000_000)..<Date(timeIntervalSince1970: 1_800_604_800),
            values: values
        )
    }

    private func reread(_ bytes: [UInt8], _ keys: TextDictionary<VerificationKey>) throws -> SettingsMessage {
        let signed = try SignedMessage(reading: bytes, atMost: 1 << 16)
        try signed.verify(with: keys)
        return try SettingsMessage(content: signed.content)
    }

    @Test func `a message reads back with values of all kinds`() throws {
        let key = try key()
        let state = SettingsState(of: [])
        for kind in [SettingsMessage.Kind.document, .change(base: state, removed: ["x", "\u{E9}"])] {
            let message = message(kind)
            let signed = SignedMessage(message.content, signedWith: key)
            #expect(try reread(signed.bytes, ["k-1": key.verificationKey]) == message)
            #expect(try reread(signed.bytes.dropLast(), ["k-1": key.verificationKey]) == message)
            #expect(signed.bytes.count { $0 == 0x0A } == 2)
        }
        let tag = message(.document, ["$data": "aGk="])
        #expect(try SettingsMessage(content: tag.content) == tag)
    }

    @Test func `a message that differs in any bit is refused`() throws {
        let key = try key()
        let bytes = SignedMessage(message(.document, ["a": 1]).content, signedWith: key).bytes
        for offset in bytes.indices.dropLast() {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                #expect(throws: MessageFlaw.self) { try reread(damaged, ["k-1": key.verificationKey]) }
            }
        }
        for count in bytes.indices.dropLast() {
            #expect(throws: MessageFlaw.self) { try reread(Array(bytes.prefix(count)), ["k-1": key.verificationKey]) }
        }
    }

    @Test func `the JSON is not read before the signature is verified`() throws {
        let key = try key()
        let bytes = SignedMessage(Array("{".utf8), signedWith: key).bytes
        #expect { try reread(bytes.flipped(at: bytes.count - 2), ["k-1": key.verificationKey]) } throws: { error in
            if case MessageFlaw.invalidSignature = error { true } else { false }
        }
        #expect { try reread(bytes, ["k-1": key.verificationKey]) } throws: { error in
            if case MessageFlaw.unreadable = error { true } else { false }
        }
    }

    @Test func `a signature is good for its key only`() throws {
        let (key, other) = (try key(), try SigningKey.generate(id: "k-2"))
        let bytes = SignedMessage(message().content, signedWith: key).bytes
        #expect { try reread(bytes, ["k-2": other.verificationKey]) } throws: { error in
            if case MessageFlaw.unknownKey("k-1") = error { true } else { false }
        }
        let impostor = try VerificationKey(id: "k-1", rawRepresentation: other.verificationKey.rawRepresentation)
        #expect { try reread(bytes, ["k-1": impostor]) } throws: { error in
            if case MessageFlaw.invalidSignature("k-1") = error { true } else { false }
        }
        // The same key under another identifier: the identifier is signed too.
        let renamed = try VerificationKey(id: "k-3", rawRepresentation: key.verificationKey.rawRepresentation)
        let text = String(decoding: bytes, as: UTF8.self).replacing(" k-1 ", with: " k-3 ", maxReplacements: 1)
        #expect { try reread(Array(text.utf8), ["k-3": renamed]) } throws: { error in
            if case MessageFlaw.invalidSignature("k-3") = error { true } else { false }
        }
    }

    @Test(arguments: [
        "", "\n", "x", "keyspan-settings", "keyspan-settings 1\n{}", "keyspan-settings 1 k AAAA\n{}",
        "keyspan-settings x k-1 A\n{}", "{}\n{}", "<html>\n<body>",
    ])
    func `another text is not a message`(_ text: String) throws {
        #expect { _ = try SignedMessage(reading: Array(text.utf8), atMost: 1 << 10) } throws: { error in
            if case MessageFlaw.malformed = error { true } else { false }
        }
    }

    @Test func `a later version and a large message are refused by their own errors`() throws {
        let bytes = SignedMessage(message().content, signedWith: try key()).bytes
        let later = String(decoding: bytes, as: UTF8.self).replacing(
            "settings 1 ",
            with: "settings 2 ",
            maxReplacements: 1
        )
        #expect { _ = try SignedMessage(reading: Array(later.utf8), atMost: 1 << 16) } throws: { error in
            if case MessageFlaw.unsupportedVersion("2") = error { true } else { false }
        }
        #expect { _ = try SignedMessage(reading: bytes, atMost: bytes.count - 1) } throws: { error in
            if case MessageFlaw.tooLarge = error { true } else { false }
        }
    }

    @Test func `members of later formats are ignored, and missing ones are not`() throws {
        let text = String(decoding: message(.document, ["a": 1]).content, as: UTF8.self)
        let later = text.replacing("{\"expires\"", with: "{\"new\": {\"x\": [1]}, \"expires\"")
        #expect(later != text)
        #expect(try SettingsMessage(content: Array(later.utf8)) == message(.document, ["a": 1]))
        for member in ["kind", "name", "revision", "state", "issued", "expires", "values"] {
            let without = text.replacing("\"\(member)\":", with: "\"other\":")
            #expect(throws: MessageFlaw.self) { try SettingsMessage(content: Array(without.utf8)) }
        }
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
