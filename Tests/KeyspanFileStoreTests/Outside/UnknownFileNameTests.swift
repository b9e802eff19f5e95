@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Variables of a file, variables that name files, and files of secrets that no key has are found.
@Suite struct UnknownFileNameTests {
    private let keys: [Defaults.AnyKey] = [
        Defaults.Key<Int>("port", default: 80), Defaults.Key<String?>("databasePassword").secret(),
        Defaults.Key<[String: String]>("tokens", default: [:]).secret(),
    ]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func problems(_ operation: () throws -> Void) rethrows -> [String] {
        let problems = Recorder<String>()
        try Defaults.withProblemHandler({ problems.record($0.description) }) { try operation() }
        return problems.values
    }

    @Test func `a variable of a .env file is reported with its line`() throws {
        try folder.overwrite(".env", "P_PORT=1\n\nP_PROT=hidden\nOTHER=1\nP_TOKENS__A=1\nP_HOME=1\n")
        let path = folder.path(".env")
        let reported = try problems {
            _ = try DotEnvStore(path: path, prefix: "P_", keys: keys, alsoKnown: ["P_HOME"])
            _ = try DotEnvStore(path: path, prefix: "P_")
            _ = try DotEnvStore(path: path, prefix: "P_", keys: keys, unknownNames: .areIgnored)
        }
        #expect(reported == ["\(path):3: no key has the variable P_PROT; did you mean P_PORT?"])
        let error = #expect(throws: FileStoreError.self) {
            _ = try DotEnvStore(path: path, prefix: "P_", keys: keys, unknownNames: .strict, alsoKnown: ["P_HOME"])
        }
        #expect(error?.step == .validate && error?.path == path)
        #expect(error?.reason == "line 3: no key has the variable P_PROT (did you mean P_PORT?)")
    }

    @Test func `without a prefix all variables of a .env file are settings`() throws {
        try folder.overwrite(".env", "PORT=1\nOTHER=1\n")
        let error = #expect(throws: FileStoreError.self) {
            _ = try DotEnvStore(path: folder.path(".env"), keys: keys, unknownNames: .strict)
        }
        #expect(error?.reason == "line 2: no key has the variable OTHER")
    }

    @Test func `a variable that names the file of a key is known, and a misspelt one is not`() throws {
        try folder.overwrite("file", "x")
        let known = ["P_DATABASE_PASSWORD_FILE": folder.path("file"), "P_PORT": "1", "P_PORT_FILE": ""]
        let misspelt = known.merging(["P_DATABASE_PASWORD_FILE": "/nowhere"]) { old, _ in old }
        let reported = try problems {
            for environment in [known, misspelt] {
                _ = try EnvironmentStore(prefix: "P_", fileSuffix: "_FILE", keys: keys, environment: environment)
            }
        }
        let message =
            "environment variable P_DATABASE_PASWORD_FILE: no key has this variable; did you mean P_DATABASE_PASSWORD_FILE?"
        #expect(reported == [message])
        func openStrictly(_ environment: [String: String]) throws(VariableFileError) {
            _ = try EnvironmentStore(
                prefix: "P_",
                fileSuffix: "_FILE",
                keys: keys,
                unknownNames: .strict,
                environment: environment
            )
        }
        try openStrictly(known)
        let error = #expect(throws: VariableFileError.self) { try openStrictly(misspelt) }
        #expect(error?.description == message)
        #expect(error?.variable == "P_DATABASE_PASWORD_FILE")
        #expect(error?.unknownNames?.names.count == 1)
    }

    @Test func `a file of secrets that no key has is reported once with the nearest key`() throws {
        try folder.publish(
            "1",
            ["database-pasword": "hidden", "port": "1", "tokens.a": "x", "README": "x", "ca.crt": "x"]
        )
        let path = folder.path("secrets")
        let double = try problems {
            let double = try SecretFolderDouble(
                path: path,
                keys: keys.map(\.name),
                unknownNames: .areReported,
                alsoKnown: ["README", "ca.crt"]
            )
            double.look()
        }
        #expect(double == ["\(path)/database-pasword: no key has this file; did you mean databasePassword?"])
    }

    @Test func `a strict store refuses a folder with such a file, and later a version with one`() throws {
        try folder.publish("1", ["databasePassword": "a", "prot": "1"])
        let error = #expect(throws: FileStoreError.self) {
            try SecretFolderDouble(path: folder.path("secrets"), keys: keys.map(\.name), unknownNames: .strict)
        }
        #expect(error?.reason == "no key has the file prot (did you mean port?)")
        try folder.publish("2", ["databasePassword": "a"])
        let double = try SecretFolderDouble(path: folder.path("secrets"), keys: keys.map(\.name), unknownNames: .strict)
        try folder.publish("3", ["databasePassword": "b", "prot": "1"])
        double.look()
        #expect(double.store.value(forKey: "databasePassword") == "a")
        #expect(double.notices.map(\.kind) == [.unreadable])
        #expect(double.notices.last?.description.contains("no key has the file prot") == true)
        try folder.publish("4", ["databasePassword": "c", "port": "1"])
        double.look()
        #expect(double.store.value(forKey: "databasePassword") == "c")
    }
}
