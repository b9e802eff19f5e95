import Foundation
@_spi(StoreAuthors) import KeyspanCore
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

    /// A mistake: the key, the value, and the part of the message behind the place.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let key: Defaults.AnyKey
        let read: @Sendable (any PropertyListStore) -> Void
        let readAsSecret: @Sendable (any PropertyListStore) -> Void
        let value: PropertyListValue
        let path: String
        let message: String

        init<Value: Defaults.Serializable>(
            _ type: Value.Type,
            _ value: PropertyListValue,
            _ message: String,
            at path: String = ""
        ) {
            let key = Defaults.Key<Value?>("http.port")
            let secret = Defaults.Key<Value?>("http.port").secret()
            self.key = key
            read = { _ = Defaults($0)[key] }
            readAsSecret = { _ = Defaults($0)[secret] }
            self.value = value
            self.path = path
            self.message = message
        }

        var testDescription: String { "\(value): \(message)" }

        /// The problem that a read reports.
        func problem(in store: any PropertyListStore) -> String {
            reportedProblems { read(store) }.joined(separator: "\n")
        }
    }

    private static let remedy = "; correct the value there, or remove it to return to the default of the key."

    @Test(arguments: [
        Mistake(Int.self, "abc", #"found "abc", which cannot be read: an integer is needed, such as 42"#),
        Mistake(Int.self, "yes", #"found "yes", which cannot be read: an integer is needed, such as 42"#),
        Mistake(
            Int.self,
            "1.5",
            #"found "1.5", which cannot be read: an integer has neither a fraction nor an exponent"#
        ),
        Mistake(
            Int.self,
            "1e3",
            #"found "1e3", which cannot be read: an integer has neither a fraction nor an exponent"#
        ),
        Mistake(Int8.self, "200", #"found "200", which cannot be read: it is not between -128 and 127"#),
        Mistake(Int8.self, "many", #"found "many", which cannot be read: an integer from -128 to 127 is needed"#),
        Mistake(UInt.self, "-1", #"found "-1", which cannot be read: it is not between 0 and 18446744073709551615"#),
        Mistake(Bool.self, "2", #"found "2", which cannot be read: write it as true, yes or 1, or as false, no or 0"#),
        Mistake(
            Bool.self,
            "on",
            #"found "on", which cannot be read: write it as true, yes or 1, or as false, no or 0"#
        ),
        Mistake(Double.self, "1,5", #"found "1,5", which cannot be read: a number is needed, such as 1.5"#),
        Mistake(Double.self, "1e999", #"found "1e999", which cannot be read: the number is too large"#),
        Mistake(
            Duration.self,
            "5",
            #"found "5", which cannot be read: a duration needs a unit, such as 5s; write it as 5s, 1h30m, 250ms or PT5M"#
        ),
        Mistake(
            Duration.self,
            "soon",
            #"found "soon", which cannot be read: it is not a duration; write it as 5s, 1h30m, 250ms or PT5M"#
        ),
        Mistake(
            Defaults.Percentage.self,
            "80",
            #"found "80", which cannot be read: it has no percent sign; write it as 50% or 12.5%"#
        ),
        Mistake(
            Defaults.Percentage.self,
            "most",
            #"found "most", which cannot be read: it is not a percentage; write it as 50% or 12.5%"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            "localhost:70000",
            #"found "localhost:70000", which cannot be read: its port is not between 0 and 65535; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            "localhost",
            #"found "localhost", which cannot be read: it has no port; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            "8080",
            #"found "8080", which cannot be read: it has no host; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            "localhost:http",
            #"found "localhost:http", which cannot be read: its port is not a number from 0 to 65535; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            "::1:80",
            #"found "::1:80", which cannot be read: an address of version 6 is in brackets, and the port follows them; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            "a b:80",
            #"found "a b:80", which cannot be read: its host is neither a name nor an address; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake(
            Defaults.IPAddress.self,
            "localhost",
            #"found "localhost", which cannot be read: it is not an IP address; write it as 192.0.2.1 or 2001:db8::1"#
        ),
        Mistake(
            Defaults.ByteCount.self,
            "64 kilobytes",
            #"found "64 kilobytes", which cannot be read: it is not a number of bytes; write it as 64KiB, 1.5GB or a whole number of bytes"#
        ),
        Mistake(Version.self, "x", #"found "x", which cannot be read: write it as 1.4"#),
        Mistake(Mode.self, "slow", #"found "slow", which cannot be read: it is not one of fast, safe"#),
        Mistake(
            Date.self,
            "tomorrow",
            #"found "tomorrow", which cannot be read: it is not a date; write it as 2026-11-21T10:50:00Z"#
        ),
        Mistake(
            UUID.self,
            "1",
            #"found "1", which cannot be read: it is not a UUID; write it as 6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57"#
        ),
        Mistake(
            URL.self,
            "https://example.com/a b",
            #"found "https://example.com/a b", which cannot be read: a URL has no spaces; write %20 for a space in it"#
        ),
        Mistake([Int].self, "80, x", #"found "x", which cannot be read: an integer is needed, such as 42"#, at: "[1]"),
        Mistake(
            [Int].self,
            "[80, 443",
            #"found "[80, 443", which cannot be read: it is a damaged JSON text: “,” or “]” is expected instead of the end of the text (line 1, column 9)"#
        ),
        Mistake(
            [String].self,
            #"["a", b]"#,
            #"found "[\"a\", b]", which cannot be read: it is a damaged JSON text: text is expected in double quotes (line 1, column 7)"#
        ),
        Mistake(
            [Int].self,
            "(80, 443",
            #"found "(80, 443", which cannot be read: it is a damaged property list of the old style: “,” or “)” is expected instead of the end of the text (line 1, column 9)"#
        ),
        Mistake(
            [String: Int].self,
            "cpu",
            #"expected a dictionary of integers such as cpu=2,memory=4 but found "cpu""#
        ),
        Mistake(
            [String: Int].self,
            "cpu=x",
            #"found "x", which cannot be read: an integer is needed, such as 42"#,
            at: ".cpu"
        ),
        Mistake(
            [String: Int].self,
            #"{"cpu": 2"#,
            #"found "{\"cpu\": 2", which cannot be read: it is a damaged JSON text: “,” or “}” is expected instead of the end of the text (line 1, column 10)"#
        ),
        Mistake(
            Server.self,
            #"{"host": "a", "port": 1,"#,
            #"found "{\"host\": \"a\", \"port\": 1,", which cannot be read: it is a damaged JSON text: a name in double quotes is expected instead of the end of the text (line 1, column 25)"#
        ),
        Mistake(
            Server.self,
            #"{"host": "a", "port": 1, "mode": "slow"}"#,
            #"found "slow", which cannot be read: it is not one of fast, safe"#,
            at: ".mode"
        ),
        Mistake(
            Server.self,
            #"{"host": "a", "port": "x", "mode": "fast"}"#,
            #"expected an integer but found "x""#,
            at: ".port"
        ),
        Mistake(Range<Int>.self, "5", #"expected a range of integers such as 80,90 but found "5""#),
        Mistake(Data.self, "abc", #"expected data in hexadecimal digits, as in '<0fbd>' but found "abc""#),
    ])
    func `a variable`(_ mistake: Mistake) throws {
        guard case .string(let text) = mistake.value else { return }
        let store = EnvironmentStore(prefix: "P_", keys: [mistake.key], environment: ["P_HTTP__PORT": text])
        let place = "key \"http.port\"\(mistake.path) of environment variable P_HTTP__PORT: "
        #expect(mistake.problem(in: store) == place + mistake.message + Self.remedy)
        let other = EnvironmentStore(prefix: "P_", keys: [mistake.key], environment: ["P_HTTP__PORT": text])
        let secret = reportedProblems { mistake.readAsSecret(other) }.joined()
        #expect(
            secret.contains("http.port") && !secret.contains("\"\(text)\"") && !secret.contains("safe"),
            "\(secret)"
        )
    }

    @Test(arguments: [
        Mistake(Int.self, "8080", #"expected an integer but found the string "8080""#),
        Mistake(Int.self, 1.5, #"expected an integer but found the number 1.5"#),
        Mistake(Int8.self, 200, #"found the integer 200, which cannot be read: it is not between -128 and 127"#),
        Mistake(Bool.self, 1, #"expected true or false but found the integer 1"#),
        Mistake(String.self, 8080, #"expected a string but found the integer 8080"#),
        Mistake(
            Duration.self,
            5,
            #"found the integer 5, which cannot be read: a duration needs a unit, such as 5s; write it as 5s, 1h30m, 250ms or PT5M"#
        ),
        Mistake(
            Defaults.Percentage.self,
            80,
            #"found the integer 80, which cannot be read: it has no percent sign; write it as 50% or 12.5%"#
        ),
        Mistake(
            Defaults.HostAndPort.self,
            8080,
            #"found the integer 8080, which cannot be read: it has no host; write it as 127.0.0.1:8080, [::1]:8080 or example.com:443"#
        ),
        Mistake([Int].self, 80, #"expected a list of integers such as [80, 90] but found the integer 80"#),
        Mistake([Int].self, [80, "x"], #"expected an integer but found the string "x""#, at: "[1]"),
        Mistake([String: Int].self, ["cpu": true], #"expected an integer but found the boolean true"#, at: ".cpu"),
        Mistake(
            [String: [Int]].self,
            4,
            #"expected a dictionary of lists of integers such as {"name": [80, 90]} but found the integer 4"#
        ),
        Mistake(
            Server.self,
            ["host": "a", "port": 1, "mode": "slow"],
            #"found the string "slow", which cannot be read: it is not one of fast, safe"#,
            at: ".mode"
        ),
        Mistake(
            Server.self,
            ["host": "a", "port": "80", "mode": "fast"],
            #"expected an integer but found the string "80""#,
            at: ".port"
        ),
        Mistake(Server.self, ["host": "a"], #"found a dictionary of 1 member, which cannot be read: it has no "port""#),
        Mistake(Mode.self, "slow", #"found the string "slow", which cannot be read: it is not one of fast, safe"#),
        Mistake(Mode.self, 5, #"expected one of fast, safe but found the integer 5"#),
        Mistake(
            URL.self,
            "https://example.com/a b",
            #"found the string "https://example.com/a b", which cannot be read: a URL has no spaces; write %20 for a space in it"#
        ),
        Mistake(
            URL.self,
            "",
            #"found an empty string, which cannot be read: it is not a URL; write it as https://example.com/path"#
        ),
        Mistake(Int.self, "", #"expected an integer but found an empty string"#),
        Mistake(Int.self, ["a": 1, "b": 2], #"expected an integer but found a dictionary of 2 members"#),
        Mistake(
            Int.self,
            "https://me:secret@example.com/",
            #"expected an integer but found the string "https://…@example.com/""#
        ),
        Mistake(Data.self, "AAEC", #"expected data but found the string "AAEC""#),
        Mistake(Date.self, 5, #"expected a date such as 2026-11-21T10:50:00Z but found the integer 5"#),
        Mistake(
            Int.self,
            .string(String(repeating: "é", count: 100)),
            "expected an integer but found the string \"\(String(repeating: "é", count: 60))…\""
        ),
    ])
    func `a file`(_ mistake: Mistake) {
        let store = InMemoryStore(["http.port": mistake.value], name: "a.json")
        let place = "key \"http.port\"\(mistake.path) of a.json: "
        #expect(mistake.problem(in: store) == place + mistake.message + Self.remedy)
    }

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

    @Test(arguments: [
        (
            ["--http.port", "9000"],
            #"key "http.port" of arguments --http.port: expected an integer but found no value; write --http.port=9000, with `=` in place of the space."#
        ),
        (
            ["--http.port", "x"],
            #"key "http.port" of arguments --http.port: expected an integer but found no value; write the value behind `=`, as in --http.port=80."#
        ),
        (
            ["--http.port", "-5"],
            #"key "http.port" of arguments --http.port: expected an integer but found no value; write --http.port=-5, with `=` in place of the space."#
        ),
        (
            ["--http.port", "--other"],
            #"key "http.port" of arguments --http.port: expected an integer but found no value; write the value behind `=`, as in --http.port=80."#
        ),
        (
            ["--http.port"],
            #"key "http.port" of arguments --http.port: expected an integer but found no value; write the value behind `=`, as in --http.port=80."#
        ),
        (
            ["--no-http.port"],
            #"key "http.port" of arguments --no-http.port: expected an integer but found false, for which the argument stands; write the value behind `=`, as in --http.port=80."#
        ),
        (
            ["--http.port=x"],
            #"key "http.port" of arguments --http.port: found "x", which cannot be read: an integer is needed, such as 42; correct the value there, or remove it to return to the default of the key."#
        ),
        (
            ["--http.port="],
            #"key "http.port" of arguments --http.port: found an empty text, which cannot be read: an integer is needed, such as 42; write a value there, or remove the empty one to return to the default of the key."#
        ),
        (
            ["-http.port", "x"],
            #"key "http.port" of arguments -http.port: found "x", which cannot be read: an integer is needed, such as 42; correct the value there, or remove it to return to the default of the key."#
        ),
    ])
    func `an argument`(_ arguments: [String], _ message: String) {
        let mistake = Mistake(Int.self, 1, message)
        let store = LayeredStore([
            .init("arguments", LaunchArgumentsStore(arguments, keys: [mistake.key]))
        ])
        #expect(mistake.problem(in: store) == message)
    }

    @Test func `an empty variable says how to unset it`() {
        let mistake = Mistake(Int.self, "", "")
        let store = EnvironmentStore(prefix: "P_", keys: [mistake.key], environment: ["P_HTTP__PORT": ""])
        #expect(
            mistake.problem(in: store) == """
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
}
