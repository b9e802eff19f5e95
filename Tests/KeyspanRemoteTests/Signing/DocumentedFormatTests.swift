import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

@testable import KeyspanRemote

/// The document that the article about the format shows.
@Suite struct DocumentedFormatTests {
    private let article: String

    init() throws {
        let repository = try #require(#filePath.range(of: "/Tests/")).lowerBound
        let path = "/Sources/KeyspanRemote/KeyspanRemote.docc/RemoteSettingsFormat.md"
        article = try String(contentsOfFile: #filePath.prefix(upTo: repository) + path, encoding: .utf8)
    }

    @Test func `a client takes the document of the article, and a publisher writes it so`() throws {
        let start = try #require(article.range(of: "keyspan-settings 2 2026-11 ")).lowerBound
        let end = try #require(article.range(of: "```", range: start..<article.endIndex)).lowerBound
        let bytes = Array(article[start..<end].utf8)
        let key = try SigningKey(id: "2026-11", rawRepresentation: 1...32)
        #expect(article.contains("`\(key.verificationKey.base64Encoded)`"))

        let verifier = try DocumentVerifier(of: "greeter", [key.verificationKey], RemoteStoreOptions())
        let issued = try #require(Date(messageText: "2026-11-22T12:00:00Z"))
        let version = try verifier.version(bytes, for: "beta", at: issued)
        // Ed25519 of CryptoKit signs with chance, so the contents are compared.
        let content = try SignedMessage(reading: bytes, atMost: 4_096).content
        #expect(try SettingsDocument(content: content).content == content)
        #expect(version.values["limit"] == .integer(30) && version.values["ratio"] == .real(1))
        #expect(version.state == SettingsState(of: SettingsState.text(of: version.values), for: "beta"))
        #expect(article.contains("\n\(version.tag.text)\n"))
        #expect(version.validity.upperBound.timeIntervalSince(issued) == 604_800)
    }

    @Test func `the identifier of the article has the bucket that it states`() throws {
        let bucket = try #require(ClientTraits(id: "ann").bucket)
        #expect(article.contains("The identifier `ann` has the bucket \(bucket)."))
    }
}
