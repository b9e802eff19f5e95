import KeyspanTestSupport
import Testing

@testable import KeyspanTool

@Suite struct DomainTests {
    private let folder = DomainFolder(path: "/config/keyspan")

    @Test(arguments: ["app", "com.example.app", "a b", "é", "a..b", "json"])
    func `finds a name in the folder`(name: String) throws {
        let domain = try Domain(argument: name, in: folder)
        #expect(domain == Domain(name: name, path: "/config/keyspan/\(name).json"))
    }

    @Test(arguments: [
        "/etc/app.json", "app.json", "./app.json", "../app.json", "a/b.json", "/etc/app.plist", "app.plist",
        "/etc/app.jsonc", "app.jsonc",
    ])
    func `takes a path as it is`(path: String) throws {
        #expect(try Domain(argument: path, in: folder) == Domain(name: path, path: path))
    }

    @Test(arguments: [
        "", ".", "..", "../app", "a/b", "/", "/etc/app", ".hidden", ".json", "a\0b", "a\0.json", "-app", "-app.json",
        ".plist", "-app.plist", "a\0.plist", ".jsonc", "-app.jsonc",
        "a/",
    ])
    func `refuses a name that would leave the folder`(name: String) {
        let error = #expect(throws: ToolError.self) { try Domain(argument: name, in: folder) }
        #expect(error?.status == .usage)
    }

    @Test(arguments: [
        (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/keyspan"),
        (["XDG_CONFIG_HOME": "x", "HOME": "/h"], "/h/.config/keyspan"),
        (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/keyspan"),
        (["HOME": "/h"], "/h/.config/keyspan"),
    ])
    func `finds the folder as XDG says`(environment: [String: String], path: String) throws {
        #expect(try DomainFolder(environment: environment).path == path)
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "h", "XDG_CONFIG_HOME": "x"]])
    func `says so if there is no folder`(environment: [String: String]) {
        #expect(throws: ToolError.self) { try DomainFolder(environment: environment) }
    }

    @Test func `lists names and nothing else`() throws {
        let temporary = try TemporaryFolder()
        for file in ["b.json", "a.json", ".c.json", "d.txt", "e.json.bak", "f.json.json", "g.plist", "h.plist.json"] {
            try temporary.write("{}", to: file)
        }
        let folder = DomainFolder(path: temporary.path)
        #expect(try folder.domains().map(\.name) == ["a", "b"])
        #expect(try DomainFolder(path: temporary.path("none")).domains().isEmpty)
    }
}
