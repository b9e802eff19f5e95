@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanFileStore

/// Names that no key has are found.
@Suite struct UnknownNameTests {
    private let folder = TemporaryFolder.forTest
    private let keys = ["port", "tls.port", "tls.host", "maxUpload"].map { Defaults.Key<Int>($0, default: 0) }

    private func open(_ unknownNames: Defaults.UnknownNames? = nil, keys: [Defaults.AnyKey]? = nil) throws
        -> JSONFileStore
    {
        let (path, keys) = (folder.path("file.json"), keys ?? self.keys)
        guard let unknownNames else { return try JSONFileStore(path: path, keys: keys) }
        return try JSONFileStore(path: path, keys: keys, unknownNames: unknownNames)
    }

    /// The problems that are reported while a store is opened, without the path of the file.
    private func problems(_ body: () throws -> Void) throws -> [String] {
        let problems = Recorder<String>()
        try Defaults.withProblemHandler({ problems($0.description) }, operation: body)
        return problems.values.map { $0.replacing(folder.path("file.json"), with: "") }
    }

    @Test(arguments: [
        (
            "{\n  \"prot\": 1,\n  \"tls\": {\"port\": 2,\n \"hots\": 3},\n  \"keyspan.kept\": [], \"x\": 1\n}\n",
            [
                ":2: no key has the name \"prot\"; did you mean \"port\"?",
                ":4: no key has the name \"tls.hots\"; did you mean \"tls.host\"?",
                ":5: no key has the name \"x\"; remove it, or declare a key for it.",
            ]
        ), ("{\n  \"host\": 5\n}\n", [":2: no key has the name \"host\"; did you mean \"tls.host\"?"]),
        (
            "{\n  \"tls\": 5\n}\n",
            [
                """
                :2: no key has the name "tls"; it is a group of keys, such as "tls.host": \
                write an object with their values there.
                """
            ]
        ),
        // What editors look for.
        ("{\"$schema\": \"schema.json\", \"port\": 1}", []),
    ])
    func `each is reported once with its line and the nearest key`(text: String, expected: [String]) throws {
        try folder.replace("file.json", text)
        #expect(try problems { _ = try open() } == expected)
        #expect(try problems { _ = try open(keys: []) } == [])
        #expect(try problems { _ = try open(.areIgnored) } == [])
    }

    @Test(arguments: [
        ("{\n  \"prot\": 1\n}\n", "line 2: no key has the name \"prot\" (did you mean \"port\"?)"),
        // Only the schema at the top is what an editor reads.
        ("{\"tls\": {\"port\": 1}, \"tls.$schema\": \"x\"}", "line 1: no key has the name \"tls.$schema\""),
    ])
    func `a strict store does not open with such a name`(text: String, reason: String) throws {
        try folder.replace("file.json", text)
        let error = #expect(throws: FileStoreError.self) { _ = try open(.strict) }
        #expect(error?.step == .validate && error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `a strict store rejects a version with such a name`() throws {
        try folder.replace("file.json", "{\"$schema\": \"schema.json\", \"port\": 1}")
        let path = folder.path("file.json")
        let process = try ProcessDouble(path: path, keys: keys.map(\.name), unknownNames: .strict)
        #expect(process["port"] == 1)
        try folder.replace("file.json", "{\"port\": 2,\n \"prot\": 1}")
        process.look()
        #expect(process["port"] == 1 && process.notices == [.rejected])
        #expect(process.reasons.last?.contains("line 2: no key has the name \"prot\"") == true)
        try folder.replace("file.json", "{\"port\": 2}")
        process.look()
        #expect(process["port"] == 2)
        // The program's own names are its own affair.
        try process.save(["dynamic": 1])
        process.passTime()
        try folder.replace("file.json", folder.text(of: "file.json").replacing("2", with: "3"))
        process.look()
        #expect(process["port"] == 3)
    }

    /// A store does not remember all names that its file ever had.
    @Test func `a name that was gone is reported again`() throws {
        let names = Recorder<String>()
        try Defaults.withProblemHandler { problem in
            names(problem.fields["name"] ?? "")
        } operation: {
            try folder.replace("file.json", #"{"prot": 1}"#)
            let path = folder.path("file.json")
            let process = try ProcessDouble(path: path, keys: keys.map(\.name), unknownNames: .areReported)
            for text in [#"{"prot": 2, "x": 1}"#, #"{"y": 2}"#, #"{"y": 2, "x": 1}"#, #"{"prot": 1}"#] {
                try folder.replace("file.json", text)
                process.look()
                process.passMoment()
            }
        }
        #expect(names.values == ["prot", "x", "y", "x", "prot"])
    }

    @Test(arguments: [
        ("prot", "port"), ("PORT", "port"), ("maxuplod", "maxUpload"), ("tls.prt", "tls.port"), ("p", nil), ("", nil),
        ("completely.different", nil), ("porte", "port"), ("opt", nil),
    ])
    func `the nearest name is near`(name: String, nearest: String?) {
        #expect(NearestName.of(name, among: keys.map(\.name)) == nearest)
    }
}
