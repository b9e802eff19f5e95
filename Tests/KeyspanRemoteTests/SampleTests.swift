import Foundation
import HTTPTypes
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
        try SettingsPublisher(
            AppKeys.allKeys,
            in: file,
            name: "greeter",
            signingKey: key,
            groups: ["new-search": [newSearch]]
        ) { traits in
            traits.isIn(25, of: "new search") ? "new-search" : "all"
        }
    }

    private func makeDefaults(over file: JSONFileStore, transport: any RemoteTransport) throws -> Defaults {
        var options = RemoteStoreOptions()
        options.group = .assigned(
            to: ClientTraits(platform: "iOS", version: "7.2", id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED")
        )
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

    @Test func `a server publishes a file to groups, and a client lies below one`() throws {
        let folder = try TemporaryFolder()
        let text = #"{"search.limit": 30, "database": "x"}"#
        let file = try JSONFileStore(path: try folder.write(text, to: "settings.json"))
        let key = try SigningKey.generate(id: "2026-11")
        let publisher = try makePublisher(of: file, InMemoryStore(["banner": "hi"]), key: key)
        func get(_ path: String) -> RemoteResponse {
            publisher.respond(
                to: HTTPRequest(method: .get, scheme: "https", authority: "settings.example.com", path: path)
            )
        }
        for (group, hasBanner) in [("all", false), ("new-search", true)] {
            guard case .bytes(let bytes) = get("/settings/\(group)").body else {
                Issue.record("the document is a stream")
                return
            }
            let document = String(decoding: bytes, as: UTF8.self)
            #expect(document.contains(#""search.limit": 30"#) && !document.contains("database"))
            #expect(document.contains(#""banner": "hi""#) == hasBanner)
        }
        let traits = ClientTraits(id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED")
        let location = get("/settings?bucket=\(traits.bucket ?? 0)").head.headerFields[.location]
        #expect(location == (traits.isIn(25, of: "new search") ? "settings/new-search" : "settings/all"))
        let defaults = try makeDefaults(over: file, transport: ScriptedTransport(to: nil))
        #expect(defaults[AppKeys().searchLimit] == 30)
    }
}
