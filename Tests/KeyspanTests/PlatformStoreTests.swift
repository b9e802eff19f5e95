#if !canImport(Darwin)
import Foundation
import KeyspanTestSupport
import Testing

@testable import Keyspan

@Suite struct PlatformStoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("greeter/defaults.json") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() -> any PropertyListStore {
        PlatformStore.open(program: "greeter", environment: ["XDG_CONFIG_HOME": folder.path])
    }

    @Test(
        arguments: [
            ("/usr/bin/greeter", ["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/greeter/defaults.json"),
            ("greeter", ["HOME": "/h"], "/h/.config/greeter/defaults.json"),
            ("./greeter", ["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/greeter/defaults.json"),
            ("./greeter", ["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/greeter/defaults.json"),
            ("greeter", [:], nil), ("greeter", ["HOME": "relative"], nil), ("", ["HOME": "/h"], nil),
            (nil, ["HOME": "/h"], nil), ("..", ["HOME": "/h"], nil), ("/", ["HOME": "/h"], nil),
        ] as [(String?, [String: String], String?)]
    )
    func `the file is in the user's configuration folder`(
        program: String?,
        environment: [String: String],
        path: String?
    ) {
        #expect(PlatformStore.path(program: program, environment: environment) == path)
    }

    @Test func `values are in the file when the store is released`() throws {
        do {
            let store = open()
            let count = Defaults.Key<Int>("count", default: 0)
            Defaults(store)[count] += 1
        }
        #expect(try folder.text(of: "greeter/defaults.json") == "{\n  \"count\": 1\n}\n")
    }

    @Test func `defaults can be registered and are not in the file, whose path is the name of the store`() throws {
        do {
            let store = open()
            #expect(store.name == path)
            let (count, name) = (Defaults.Key<Int>("count", default: 3), Defaults.Key<String>("name", default: "Ann"))
            try Defaults(store).register(count, name)
            #expect(store.snapshot() == ["count": 3, "name": "Ann"])
            Defaults(store)[count] += 1
            try store.synchronize()
            let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(1, key: ""))) }
            #expect(error?.store == path)
        }
        #expect(try folder.text(of: "greeter/defaults.json") == "{\n  \"count\": 4\n}\n")
    }

    @Test func `a file that cannot be opened is reported and left alone, and the values live in memory`() throws {
        try folder.makeFolder("greeter")
        try folder.write("{ damaged", to: "greeter/defaults.json")
        var opened: (any PropertyListStore)?
        let problems = reportedProblems { opened = open() }
        let store = try #require(opened)
        // A machine that watches too many files reports that too.
        #expect(problems.count { $0.contains(path) && !$0.contains("cannot wait for changes") } == 1, "\(problems)")
        let count = Defaults.Key<Int>("count", default: 0)
        Defaults(store)[count] += 1
        #expect(Defaults(store)[count] == 1)
        try Defaults(store).register(["registered": 1])
        #expect(store.snapshot() == ["count": 1, "registered": 1])
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .notDurable)
        #expect(error?.store == path)
        #expect(error?.underlying is FileStoreError)
        #expect(try folder.text(of: "greeter/defaults.json") == "{ damaged")
    }

    @Test func `a file that can be opened later is taken over, with what was written meanwhile`() throws {
        try folder.makeFolder("greeter")
        try folder.write("{\"theirs\": 1,", to: "greeter/defaults.json")
        let store = Defaults.withProblemHandler({ _ in }, operation: open)
        try store.apply(PropertyListBatch(.set(2, key: "ours")))
        try folder.write("{\"theirs\": 1}", to: "greeter/defaults.json")
        try store.synchronize()
        #expect(store.snapshot() == ["theirs": 1, "ours": 2])
    }

    @Test func `a folder that is not UTF-8 is not replaced by another one`() async {
        await #expect(processExitsWith: .success) {
            let folder: [CChar] = Array("/tmp/x".utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
            setenv("XDG_CONFIG_HOME", folder, 1)
            let store = Defaults.withProblemHandler({ _ in }) { PlatformStore.open() }
            let error = #expect(throws: StoreError.self) { try store.synchronize() }
            #expect(error?.description.contains(#"XDG_CONFIG_HOME is not UTF-8: "/tmp/x\xff""#) == true)
        }
    }

    @Test func `without a folder for the file the values live in memory and synchronizing says what to do`() {
        let store = Defaults.withProblemHandler({ _ in }) {
            PlatformStore.open(program: "greeter", environment: [:])
        }
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.description.contains("set HOME or XDG_CONFIG_HOME") == true)
    }
}
#endif
