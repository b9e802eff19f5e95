import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanRemote
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The samples of the documentation.
@Suite
struct SampleTests {
    private struct AppKeys: KeyGroup {
        let searchLimit = Key<Int>("search.limit", default: 20).validated(by: .range(1...100)).published()
        let banner = Key<String?>("banner").published()
        let database = Key<String>("database", default: "localhost")
    }

    private func makePublisher(
        of file: JSONFileStore,
        _ newSearch: InMemoryStore,
        key: SigningKey
    ) throws -> SettingsPublisher {
        try SettingsPublisher(AppKeys.allKeys, in: file, name: "greeter", signingKey: key) { client in
            client.isIn(25, of: "new search") ? [newSearch] : []
        }
    }

    private func makeDefaults(over file: JSONFileStore, transport: any RemoteTransport) throws -> Defaults {
        var options = RemoteStoreOptions()
        options.client = RemoteClient(platform: "iOS", version: "7.2", id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED")
        let key = try VerificationKey(id: "2026-11", base64Encoded: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
        let remote = try RemoteStore(
            url: try #require(URL(string: "https://settings.example.com/settings")),
            keys: [AppKeys().searchLimit],
            verificationKeys: [key],
            name: "greeter",
            cache: nil,
            options: options,
            transport: transport
        )
        return Defaults(LayeredStore([.init("file", file, isWritable: true), .init("remote", remote)]))
    }

    @Test func `a server publishes a file, and a client lies below one`() async throws {
        let folder = try TemporaryFolder()
        let text = #"{"search.limit": 30, "database": "x"}"#
        let file = try JSONFileStore(path: try folder.write(text, to: "settings.json"))
        let key = try SigningKey.generate(id: "2026-11")
        let publisher = try makePublisher(of: file, InMemoryStore(["banner": "hi"]), key: key)
        let response = await publisher.respond(to: RemoteRequest(method: "GET", target: "/settings"))
        guard case .bytes(let bytes) = response.body else {
            Issue.record("the document is a stream")
            return
        }
        let document = String(decoding: bytes, as: UTF8.self)
        #expect(document.contains(#""search.limit": 30"#) && !document.contains("database"))
        let defaults = try makeDefaults(over: file, transport: ScriptedTransport(to: nil))
        #expect(defaults[AppKeys().searchLimit] == 30)
    }
}
