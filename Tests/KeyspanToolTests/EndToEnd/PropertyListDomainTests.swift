import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

/// Domains that are property-list files, as a user works with them.
@Suite struct PropertyListDomainTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    private func bytes() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: sandbox.folder.path("app.plist"))))
    }

    private func keyspan(_ arguments: String) throws -> ToolProcess.Result {
        try sandbox.shell("\"$KEYSPAN\" \(arguments)")
    }

    private static let commands: [(String, String)] = [
        ("write app.plist name 'Ada L'", ""), ("write app.plist count -int 3", ""),
        ("write app.plist list -array a b", ""), ("read app.plist name", "Ada L\n"),
        ("read-type app.plist count", "Type is integer\n"), ("rename app.plist count total", ""),
        ("delete app.plist name", ""),
        ("read app.plist", "{\n    list =     (\n        a,\n        b\n    );\n    old = 1;\n    total = 3;\n}\n"),
        ("kept app.plist", ""),
        (
            "export app.plist - --format json",
            "{\n  \"list\": [\n    \"a\",\n    \"b\"\n  ],\n  \"old\": true,\n  \"total\": 3\n}\n"
        ),
    ]

    @Test(arguments: PropertyListFormat.allCases)
    func `are read and changed like any other, and keep their format`(format: PropertyListFormat) throws {
        let start = try PropertyListData.encode(["old": true] as PropertyListTable, as: format)
        try Data(start).write(to: URL(fileURLWithPath: sandbox.folder.path("app.plist")))
        for (command, output) in Self.commands {
            let result = try keyspan(command)
            #expect(result.status == 0, "\(command): \(result.error)")
            #expect(result.output == output, "\(command)")
            #expect(PropertyListData.format(of: try bytes()) == format)
        }
        #expect(try PropertyListData.parseTable(bytes()) == ["old": true, "list": ["a", "b"], "total": 3])
        #expect(try sandbox.folder.names == ["app.plist"])
    }

    @Test func `are made binary, and read by import`() throws {
        #expect(try keyspan("write app.plist key -float 1.5").status == 0)
        #expect(PropertyListData.format(of: try bytes()) == .binary)
        #expect(try keyspan("import copy app.plist").status == 0)
        #expect(try sandbox.text(ofDomain: "copy") == "{\n  \"key\": 1.5\n}\n")
        #expect(try sandbox.run("import", "\(sandbox.folder.path("app.plist"))", "-", input: "{a = 1;}").status == 0)
        #expect(try PropertyListData.parseTable(bytes()) == ["a": "1"])
    }

    @Test func `that are damaged are left, with the place of the damage`() throws {
        try sandbox.folder.write("<plist>\n<dict>\n<key>a</key>\n</dict></plist>", to: "app.plist")
        let before = try bytes()
        let result = try keyspan("write app.plist key value")
        #expect(result.status == 1)
        #expect(result.error.contains("line 4") && result.error.hasSuffix(".\n"))
        #expect(try bytes() == before)
    }

    @Test func `refuse what XML cannot hold, with a remedy`() throws {
        try sandbox.folder.write("<plist><dict/></plist>", to: "app.plist")
        let result = try keyspan("write app.plist key \"$(printf 'a\\001')\"")
        #expect(result.status == 1)
        #expect(result.error.contains("U+1") && result.error.contains("binary"))
        #expect(try sandbox.folder.text(of: "app.plist") == "<plist><dict/></plist>")
    }

    @Test func `in the folder have no name`() throws {
        try sandbox.write("{\"a\": 1}", toDomain: "app")
        try sandbox.folder.write("<plist><dict><key>b</key><true/></dict></plist>", to: "keyspan/app.plist")
        #expect(try sandbox.run("domains").output == "app\n")
        #expect(try sandbox.run("read", "app").output == "{\n    a = 1;\n}\n")
        #expect(try keyspan("read keyspan/app.plist").output == "{\n    b = 1;\n}\n")
    }
}
