import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The texts that people read who make a mistake in a file, a variable or an argument.
@Suite struct ErrorMessageTests {
    enum Mode: String, CaseIterable, Codable, Defaults.Serializable {
        case fast, safe
    }

    struct Server: Codable, Defaults.Serializable, Defaults.PreferStructured {
        var host: String
        var port: Int
        var mode: Mode
    }

    struct Version: LosslessStringConvertible, Defaults.TextSerializable {
        static let textForms = "write it as 1.4"
        var description: String { "1.4" }
        init?(_ text: String) { return nil }
    }

    private static let types: [String: any Defaults.Serializable.Type] = [
        "Int": Int.self, "Int8": Int8.self, "UInt": UInt.self, "Bool": Bool.self, "Double": Double.self,
        "String": String.self, "Duration": Duration.self, "Percentage": Defaults.Percentage.self,
        "HostAndPort": Defaults.HostAndPort.self, "IPAddress": Defaults.IPAddress.self,
        "ByteCount": Defaults.ByteCount.self, "Version": Version.self, "Mode": Mode.self, "Date": Date.self,
        "UUID": UUID.self, "URL": URL.self, "Data": Data.self, "[Int]": [Int].self, "[String]": [String].self,
        "[String: Int]": [String: Int].self, "[String: [Int]]": [String: [Int]].self, "Range<Int>": Range<Int>.self,
        "Server": Server.self,
    ]

    /// The rows of a table: a type, a value of a setting, the message behind the place, and the path in the value.
    private static func table(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    private static func columns(_ row: String) throws -> (any Defaults.Serializable.Type, String, String, String) {
        let parts = row.split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
        return (try #require(types[parts[0]]), parts[1], parts[2], parts.count > 3 ? parts[3] : "")
    }

    /// The problem that a read of a type reports.
    private static func problem<Value: Defaults.Serializable>(
        _ type: Value.Type,
        isSecret: Bool = false,
        in makeStore: (Defaults.AnyKey) -> any PropertyListStore
    ) -> String {
        let key = isSecret ? Defaults.Key<Value?>("http.port").secret() : Defaults.Key<Value?>("http.port")
        let store = makeStore(key)
        return reportedProblems { Defaults(store)[key] }.joined(separator: "\n")
    }

    private static let remedy = "; correct the value there, or remove it to return to the default of the key."

    @Test(
        arguments: table(
            #"""
            Int | abc | found "abc", which cannot be read: an integer is needed, such as 42
            Int | yes | found "yes", which cannot be read: an integer is needed, such as 42
            Int | 1.5 | found "1.5", which cannot be read: an integer has neither a fraction nor an exponent
            Int | 1e3 | found "1e3", which cannot be read: an integer has neither a fraction nor an exponent
            Int8 | 200 | found "200", which cannot be read: it is not between -128 and 127
            Int8 | many | found "many", which cannot be read: an integer from -128 to 127 is needed
            UInt | -1 | found "-1", which cannot be read: it is not between 0 and 18446744073709551615
            Bool | 2 | found "2", which cannot be read: write it as true, yes or 1, or as false, no or 0
            Bool | on | found "on", which cannot be read: write it as true, yes or 1, or as false, no or 0
            Double | 1,5 | found "1,5", which cannot be read: a number is needed, such as 1.5
            Double | 1e999 | found "1e999", which cannot be read: the number is too large
            Duration | 5 | found "5", which cannot be read: a duration needs a unit, such as 5s; write it as 5s, 1h30m, 250ms or PT5M
            Duration | soon | found "soon", which cannot be read: it is not a duration; write it as 5s, 1h30m, 250ms or PT5M
            Percentage | 80 | found "80", which cannot be read: it has no percent sign; write it as 50% or 12.5%
            Percentage | most | found "most", which cannot be read: it is not a percentage; write it as 50% or 12.5%
            HostAndPort | localhost:70000 | found "localhost:70000", which cannot be read: its port is not between 0 and 65535; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            HostAndPort | localhost | found "localhost", which cannot be read: it has no port; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            HostAndPort | 8080 | found "8080", which cannot be read: it has no host; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            HostAndPort | localhost:http | found "localhost:http", which cannot be read: its port is not a number from 0 to 65535; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            HostAndPort | ::1:80 | found "::1:80", which cannot be read: an address of version 6 is in brackets, and the port follows them; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            HostAndPort | a b:80 | found "a b:80", which cannot be read: its host is neither a name nor an address; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            IPAddress | localhost | found "localhost", which cannot be read: it is not an IP address; write it as 192.0.2.1 or 2001:db8::1
            ByteCount | 64 kilobytes | found "64 kilobytes", which cannot be read: it is not a number of bytes; write it as 64KiB, 1.5GB or a whole number of bytes
            Version | x | found "x", which cannot be read: write it as 1.4
            Mode | slow | found "slow", which cannot be read: it is not one of fast, safe
            Date | tomorrow | found "tomorrow", which cannot be read: it is not a date; write it as 2026-11-21T10:50:00Z
            UUID | 1 | found "1", which cannot be read: it is not a UUID; write it as 6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57
            URL | https://example.com/a b | found "https://example.com/a b", which cannot be read: a URL has no spaces; write %20 for a space in it
            [Int] | 80, x | found "x", which cannot be read: an integer is needed, such as 42 | [1]
            [Int] | [80, 443 | found "[80, 443", which cannot be read: it is a damaged JSON text: “,” or “]” is expected instead of the end of the text (line 1, column 9)
            [String] | ["a", b] | found "[\"a\", b]", which cannot be read: it is a damaged JSON text: text is expected in double quotes (line 1, column 7)
            [Int] | (80, 443 | found "(80, 443", which cannot be read: it is a damaged property list of the old style: “,” or “)” is expected instead of the end of the text (line 1, column 9)
            [String: Int] | cpu | expected a dictionary of integers such as cpu=2,memory=4 but found "cpu"
            [String: Int] | cpu=x | found "x", which cannot be read: an integer is needed, such as 42 | .cpu
            [String: Int] | {"cpu": 2 | found "{\"cpu\": 2", which cannot be read: it is a damaged JSON text: “,” or “}” is expected instead of the end of the text (line 1, column 10)
            Server | {"host": "a", "port": 1, | found "{\"host\": \"a\", \"port\": 1,", which cannot be read: it is a damaged JSON text: a name in double quotes is expected instead of the end of the text (line 1, column 25)
            Server | {"host": "a", "port": 1, "mode": "slow"} | found "slow", which cannot be read: it is not one of fast, safe | .mode
            Server | {"host": "a", "port": "x", "mode": "fast"} | expected an integer but found "x" | .port
            Range<Int> | 5 | expected a range of integers such as 80,90 but found "5"
            Data | abc | expected data in hexadecimal digits, as in '<0fbd>' but found "abc"
            """#
        )
    )
    func `a variable`(_ row: String) throws {
        let (type, text, message, path) = try Self.columns(row)
        func store(_ key: Defaults.AnyKey) -> any PropertyListStore {
            EnvironmentStore(prefix: "P_", keys: [key], environment: ["P_HTTP__PORT": text])
        }
        let place = "key \"http.port\"\(path) of environment variable P_HTTP__PORT: "
        #expect(Self.problem(type, in: store) == place + message + Self.remedy)
        let secret = Self.problem(type, isSecret: true, in: store)
        #expect(secret.contains("http.port") && !secret.contains("\"\(text)\"") && !secret.contains("safe"))
    }

    /// A value as JSON text.
    private struct WrittenValue: Decodable {
        let value: PropertyListValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let boolean = try? container.decode(Bool.self) {
                value = .boolean(boolean)
            } else if let integer = try? container.decode(Int.self) {
                value = .init(integer)
            } else if let real = try? container.decode(Double.self) {
                value = .real(real)
            } else if let elements = try? container.decode([WrittenValue].self) {
                value = .array(elements.map(\.value))
            } else if let members = try? container.decode([String: WrittenValue].self) {
                value = .dictionary(members.reduce(into: [:]) { $0[$1.key] = $1.value.value })
            } else {
                value = .string(try container.decode(String.self))
            }
        }
    }

    @Test(
        arguments: table(
            #"""
            Int | "8080" | expected an integer but found the string "8080"
            Int | 1.5 | expected an integer but found the number 1.5
            Int8 | 200 | found the integer 200, which cannot be read: it is not between -128 and 127
            Bool | 1 | expected true or false but found the integer 1
            String | 8080 | expected a string but found the integer 8080
            Duration | 5 | found the integer 5, which cannot be read: a duration needs a unit, such as 5s; write it as 5s, 1h30m, 250ms or PT5M
            Percentage | 80 | found the integer 80, which cannot be read: it has no percent sign; write it as 50% or 12.5%
            HostAndPort | 8080 | found the integer 8080, which cannot be read: it has no host; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443
            [Int] | 80 | expected a list of integers such as [80, 90] but found the integer 80
            [Int] | [80, "x"] | expected an integer but found the string "x" | [1]
            [String: Int] | {"cpu": true} | expected an integer but found the boolean true | .cpu
            [String: [Int]] | 4 | expected a dictionary of lists of integers such as {"name": [80, 90]} but found the integer 4
            Server | {"host": "a", "port": 1, "mode": "slow"} | found the string "slow", which cannot be read: it is not one of fast, safe | .mode
            Server | {"host": "a", "port": "80", "mode": "fast"} | expected an integer but found the string "80" | .port
            Server | {"host": "a"} | found a dictionary of 1 member, which cannot be read: it has no "port"
            Mode | "slow" | found the string "slow", which cannot be read: it is not one of fast, safe
            Mode | 5 | expected one of fast, safe but found the integer 5
            URL | "https://example.com/a b" | found the string "https://example.com/a b", which cannot be read: a URL has no spaces; write %20 for a space in it
            URL | "" | found an empty string, which cannot be read: it is not a URL; write it as https://example.com/path
            Int | "" | expected an integer but found an empty string
            Int | ["top secret"] | expected an integer but found an array of 1 element
            Int | {"a": 1, "b": 2} | expected an integer but found a dictionary of 2 members
            Int | "https://me:secret@example.com/" | expected an integer but found the string "https://…@example.com/"
            Data | "AAEC" | expected data but found the string "AAEC"
            Date | 5 | expected a date such as 2026-11-21T10:50:00Z but found the integer 5
            """#
        ) + ["Int | \"\(long)\" | expected an integer but found the string \"\(long.prefix(60))…\""]
    )
    func `a file`(_ row: String) throws {
        let (type, text, message, path) = try Self.columns(row)
        let value = try JSONDecoder().decode(WrittenValue.self, from: Data(text.utf8)).value
        let place = "key \"http.port\"\(path) of a.json: "
        let problem = Self.problem(type) { _ in InMemoryStore(["http.port": value], name: "a.json") }
        #expect(problem == place + message + Self.remedy)
    }

    private static let long = String(repeating: "é", count: 100)

    /// Passwords that a URL cannot have as they are, which may be the reason of the error, and places without `//`.
    @Test(arguments: [
        ("postgres://me:hun/ter2@db/app", #""postgres://…@db/app""#),
        ("postgres://me:hun?ter2@db/app", #""postgres://…@db/app""#),
        ("postgres://me:hun#ter2@db/app", #""postgres://…@db/app""#),
        ("http://a.b, http://me:hunter2@c.d", #""http://…@c.d""#),
        ("me:hunter2@db:5432", #""…@db:5432""#),
        ("//me:hunter2@db", #""…@db""#),
        ("postgres://me:hunter2/\(String(repeating: "x", count: 60))@db", #""postgres://…""#),
        ("postgres://me:hunter2/@\(String(repeating: "x", count: 60))@db", #""postgres://…""#),
        ("me@example.com", #""me@example.com""#),
        ("see: me@example.com", #""see: me@example.com""#),
        (
            "https://example.com/\(String(repeating: "x", count: 60))",
            "\"https://example.com/\(String(repeating: "x", count: 40))…\""
        ),
    ])
    func `a password before a host is not shown`(text: String, excerpt: String) {
        let store = InMemoryStore(["port": .string(text)], name: "a.json")
        let problems = reportedProblems { _ = Defaults(store)[Defaults.Key<Int?>("port")] }.joined()
        #expect(problems.contains("found the string \(excerpt);"), "\(problems)")
    }

    @Test func `a remedy for an argument shows no password`() {
        let key = Defaults.Key<URL?>("home")
        let store = LaunchArgumentsStore(["--home", "https://me:hunter2@example.com"], keys: [key])
        let problems = reportedProblems { _ = Defaults(store)[key] }.joined()
        #expect(problems.contains("write --home=…, with `=` in place of the space"), "\(problems)")
    }

    @Test(
        arguments: table(
            #"""
            --http.port 9000 | key "http.port" of arguments --http.port: expected an integer but found no value; write --http.port=9000, with `=` in place of the space.
            --http.port x | key "http.port" of arguments --http.port: expected an integer but found no value; write the value behind `=`, as in --http.port=80.
            --http.port -5 | key "http.port" of arguments --http.port: expected an integer but found no value; write --http.port=-5, with `=` in place of the space.
            --http.port --other | key "http.port" of arguments --http.port: expected an integer but found no value; write the value behind `=`, as in --http.port=80.
            --http.port | key "http.port" of arguments --http.port: expected an integer but found no value; write the value behind `=`, as in --http.port=80.
            --no-http.port | key "http.port" of arguments --no-http.port: expected an integer but found false, for which the argument stands; write the value behind `=`, as in --http.port=80.
            --http.port=x | key "http.port" of arguments --http.port: found "x", which cannot be read: an integer is needed, such as 42; correct the value there, or remove it to return to the default of the key.
            --http.port= | key "http.port" of arguments --http.port: found an empty text, which cannot be read: an integer is needed, such as 42; write a value there, or remove the empty one to return to the default of the key.
            -http.port x | key "http.port" of arguments -http.port: found "x", which cannot be read: an integer is needed, such as 42; correct the value there, or remove it to return to the default of the key.
            """#
        )
    )
    func `an argument`(_ row: String) {
        let parts = row.split(separator: " | ")
        let problem = Self.problem(Int.self) { key in
            let words = parts[0].split(separator: " ").map(String.init)
            return LayeredStore([.init("arguments", LaunchArgumentsStore(words, keys: [key]))])
        }
        #expect(problem == parts[1])
    }

    @Test func `an empty variable says how to unset it`() {
        let problem = Self.problem(Int.self) { key in
            EnvironmentStore(prefix: "P_", keys: [key], environment: ["P_HTTP__PORT": ""])
        }
        #expect(
            problem == """
                key "http.port" of environment variable P_HTTP__PORT: found an empty text, which cannot be read: an integer is needed, \
                such as 42; give the variable a value, or unset it (`unset P_HTTP__PORT`) to return to the default of the key.
                """
        )
    }

    @Test(arguments: ["--token", "--token=hunter2"])
    func `the value of a secret is never shown`(_ argument: String) {
        let key = Defaults.Key<Int?>("token").secret()
        let store = LaunchArgumentsStore([argument, "4711"], keys: [key])
        let problems = reportedProblems { _ = Defaults(store)[key] }.joined()
        #expect(problems.contains("token") && !problems.contains("4711") && !problems.contains("hunter2"))
    }

    @Test func `a value that breaks a rule is shown, unless it is secret`() {
        let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65535))
        let store = InMemoryStore(["port": 70000], name: "a.json")
        let errors = [port, port.secret()].map { key in
            #expect(throws: Defaults.ValidationError.self) { try Defaults(store).validate([key]) }?.description
        }
        let remedy = "correct it there, or remove it to return to the default of the key."
        let rule = "the stored value must be between 1 and 65535; \(remedy)"
        #expect(errors[0] == "key \"port\" of a.json: found the integer 70000, but \(rule)")
        #expect(errors[1] == "key \"port\" of a.json: \(rule)")
    }

    @Test(arguments: ["https://example.com/a%20b", "\"https:\\/\\/example.com\\/a%20b\"", "/a b", "~/a b"])
    func `a URL that a store wrote, and a path with a space, are read`(_ text: String) throws {
        let key = Defaults.Key<URL?>("url")
        #expect(try Defaults(InMemoryStore(["url": .string(text)])).value(for: key) != nil)
    }

    // MARK: - Failed writes

    /// A way to write, and what its error names if the store names no key.
    struct FailedWrite: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let write: @Sendable (Defaults) throws -> Void
    }

    private static let size = Defaults.Key<Window>("window", default: Window(width: 0, height: 0))
    private static let ports = (1...7).map { Defaults.Key<Int>("port\($0)", default: 0) }

    private static let failedWrites = [
        FailedWrite(testDescription: #"key "port1""#) { $0[ports[0]] = 1 },
        FailedWrite(testDescription: #"key "port1""#) { try $0.set(1, for: ports[0].throwing()) },
        FailedWrite(testDescription: #"key "port1""#) { $0.modify(ports[0]) { $0 += 1 } },
        FailedWrite(testDescription: #"key "port1""#) { $0[ports[0]] += 1 },
        FailedWrite(testDescription: #"key "port1""#) { $0.store.set(1, forKey: "port1") },
        FailedWrite(testDescription: #"key "port1""#) { try $0.commit(ports[0]) { $0 += 1 } },
        FailedWrite(testDescription: #"key "port9""#) { _ = $0[Defaults.Key<Int?>("port9"), initialisingWith: 1] },
        FailedWrite(testDescription: #"key "window""#) { $0[size] = Window(width: 1, height: 1) },
        // Its old value is kept, in an entry of the library.
        FailedWrite(testDescription: #"key "bad""#) { $0[Defaults.Key<Int>("bad", default: 0)] = 1 },
        FailedWrite(testDescription: #"keys "port1", "port2""#) { defaults in
            defaults.update { for key in ports.prefix(2) { $0[key] = 1 } }
        },
        FailedWrite(testDescription: #"keys "port1", "port2", "port3", "port4", "port5" and 2 more"#) { defaults in
            try defaults.commit { for key in ports { $0[key] = 1 } }
        },
        FailedWrite(testDescription: #"keys "port1", "port2""#) { $0.reset(ports[0], ports[1]) },
        FailedWrite(testDescription: #"keys "port1", "port2""#) { $0.reset(["port1", "port2"]) },
    ]

    @Test(arguments: failedWrites)
    func `a failed write names its keys, whatever the store says`(_ failed: FailedWrite) throws {
        let store = ScriptedStore(["bad": "text", "port1": 0], name: "the database")
        store.failWrites(with: StoreError(.init("busy"), store: store.name, reason: "it is busy", remedy: "try again"))
        let texts = reportedProblems {
            do {
                try failed.write(Defaults(store))
            } catch {
                Defaults.Problem.storeUnavailable(name: "thrown", cause: error).report()
            }
        }
        #expect(texts == ["\(failed.testDescription) of the database: it is busy; try again."])
    }

    @Test func `a failed batch names the key that is the reason, and the others`() {
        let store = InMemoryStore(name: "memory")
        let error = #expect(throws: Defaults.WriteError.self) {
            try Defaults(store).commit {
                for key in Self.ports { $0[key] = 1 }
                $0[Defaults.Key<Int>("a\0", default: 0)] = 1
            }
        }
        #expect(error?.key == "a\0")
        #expect(
            error?.description.hasPrefix(
                #"key "a\0" of memory, in one batch with "port1", "port2", "port3", "port4" and 3 more: "#
            ) == true
        )
        guard let error else { return }
        let fields = Defaults.Problem.writeFailed(error).fields
        #expect(fields["otherKeys"] == #""port1", "port2", "port3", "port4", "port5" and 2 more"#)
    }
}
