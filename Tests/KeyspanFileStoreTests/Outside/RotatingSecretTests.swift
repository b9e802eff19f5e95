import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Rotations of secrets in files, as the article on secrets has them.
@Suite(.bounded)
struct RotatingSecretTests {
    private static let password = Defaults.Key<String?>("database.password").secret().validated(
        by: .ifPresent(.notEmpty)
    )

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The first rotation of a secret.
    private func rotation(
        of secret: Defaults.RotatingSecret<String>
    ) async throws -> Defaults.RotatingSecret<String>.Rotation {
        let rotations = Recorder<Defaults.RotatingSecret<String>.Rotation>()
        let task = Task { for await rotation in secret.rotations() { rotations.record(rotation) } }
        defer { task.cancel() }
        try await eventually("the secret is rotated", rotations.count) { $0 > 0 }
        return try #require(rotations.values.first)
    }

    /// A server that checks passwords, which allows those of a list.
    private actor Server {
        private var allowed: Set<String> = ["one"]
        private(set) var connections: [String] = []

        func allow(_ passwords: Set<String>) { allowed = passwords }

        func connect(_ password: String) -> Bool {
            connections.append(password)
            return allowed.contains(password)
        }
    }

    @Test func `a swap of the mounted folder replaces the connections, and only then ends the old password`()
        async throws
    {
        try folder.publish("1", ["database.password": "one\n"])
        let secrets = try SecretFolderStore(path: folder.path("secrets"), keys: [Self.password])
        let defaults = Defaults(
            LayeredStore([.init("secrets", secrets), .init("memory", InMemoryStore(), isWritable: true)])
        )
        let secret = Defaults.RotatingSecret(Self.password, in: defaults)
        let server = Server()
        #expect(await server.connect(try #require(secret.current)))
        // Both passwords are allowed before the file is replaced.
        await server.allow(["one", "two"])
        try folder.publish("2", ["database.password": "two\n"])
        let rotation = try await rotation(of: secret)
        #expect(rotation.old == "one" && rotation.new == "two")
        // Requests in flight go on with the connections of the old password.
        #expect(secret.accepts { $0 == "one" })
        #expect(await server.connect(try #require(rotation.new)))
        rotation.acknowledge()
        await server.allow(["two"])
        #expect(secret.current == "two" && !secret.accepts { $0 == "one" })
        #expect(await server.connections == ["one", "two"])
    }

    @Test func `a damaged version leaves both passwords valid, and the repaired one is a rotation`() async throws {
        try folder.publish("1", ["database.password": "one"])
        let double = try SecretFolderDouble(path: folder.path("secrets"), keys: ["database.password"])
        let secret = Defaults.RotatingSecret(Self.password, in: Defaults(double.store))
        try folder.publish("2", ["database.password": "two"])
        double.look()
        try await eventually("the new password is current", secret.current, is: "two")
        // An empty file breaks the rule of the key, and a file whose bytes are not UTF-8 has no text.
        for (version, bytes) in [("3", [UInt8]()), ("4", [0xFF, 0xFE])] {
            try folder.publish(version, ["database.password": "six"], mode: 0o600)
            try folder.write(bytes, to: "secrets/..\(version)/database.password")
            double.look()
            let expected: PropertyListValue = bytes.isEmpty ? "" : .data(Data(bytes))
            try await eventually(
                "the store reads the file",
                double.store.value(forKey: "database.password"),
                is: expected
            )
            #expect(secret.current == "two" && secret.previous == ["one"])
        }
        try folder.publish("5", ["database.password": "five"])
        double.look()
        try await eventually("the repaired password is current", secret.current, is: "five")
        #expect(secret.previous == ["two", "one"])
        try folder.publish("6", [:])
        double.look()
        try await eventually("no password is current", secret.current, is: nil)
        #expect(secret.accepts { $0 == "five" })
        secret.pendingRotation?.acknowledge()
        #expect(!secret.accepts { _ in true })
    }

    @Test func `a file of settings that another program replaces is a rotation`() async throws {
        try folder.write(Array(#"{"database": {"password": "one"}}"#.utf8), to: "secrets.json", permissions: 0o600)
        let store = try JSONFileStore(
            path: folder.path("secrets.json"),
            keys: [Self.password],
            options: FileStoreOptions(journal: .none)
        )
        let secret = Defaults.RotatingSecret(Self.password, in: Defaults(store))
        try folder.write(Array(#"{"database": {"password": "two"}}"#.utf8), to: "secrets.json", permissions: 0o600)
        let rotation = try await rotation(of: secret)
        #expect(rotation.old == "one" && rotation.new == "two")
    }
}
