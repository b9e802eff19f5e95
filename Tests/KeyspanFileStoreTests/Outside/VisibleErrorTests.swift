import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// A value with an invisible character, in each form that a file can have it in.
@Suite struct VisibleErrorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the error of each store shows an invisible character by its number`() throws {
        let text = "8080\u{A0}"
        try folder.makeFolder("secrets")
        try folder.write(Array(text.utf8), to: "secrets/port")
        let environment = try folder.write("PORT=\(text)\n", to: ".env")
        let json = try folder.write("{\"port\": \"\(text)\"}", to: "port.json")
        let plist = "<plist version=\"1.0\"><dict><key>port</key><string>\(text)</string></dict></plist>"
        let stores: [any PropertyListStore] = [
            try DotEnvStore(path: environment), EnvironmentStore(prefix: "", environment: ["PORT": text]),
            try SecretFolderStore(path: folder.path("secrets")),
            try JSONFileStore(path: json), try PropertyListFileStore(path: try folder.write(plist, to: "port.plist")),
        ]
        for store in stores {
            let error = try #require(throws: Defaults.ReadError.self) {
                try Defaults(store).value(for: Defaults.Key<Int?>("port"))
            }
            #expect(error.description.contains(#""8080\u{00A0}""#), "\(error)")
        }
    }
}
