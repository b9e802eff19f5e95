import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Domains that are property-list files, as a user works with them.
@Suite struct PropertyListDomainTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    private func bytes() throws -> [UInt8] { try sandbox.folder.bytes(of: "app.plist") }

    @Test(arguments: PropertyListFormat.allCases)
    func `are read and changed like any other, and keep their format`(format: PropertyListFormat) throws {
        let start = try PropertyListData.encode(["old": true] as PropertyListTable, as: format)
        try sandbox.folder.write(start, to: "app.plist")
        for (line, output) in [
            ("write ~/app.plist name 'Ada L'", ""), ("write ~/app.plist count -int 3", ""),
            ("write ~/app.plist list -array a b", ""), ("read ~/app.plist name", "Ada L\n"),
            ("read-type ~/app.plist count", "Type is integer\n"), ("rename ~/app.plist count total", ""),
            ("rename ~/app.plist name gone", ""),
            (
                "read ~/app.plist",
                "{\n    gone = \"Ada L\";\n    list =     (\n        a,\n        b\n    );\n    old = 1;\n    total = 3;\n}\n"
            ),
            ("kept ~/app.plist", ""),
            (
                "export ~/app.plist - --format json",
                "{\n  \"gone\": \"Ada L\",\n  \"list\": [\n    \"a\",\n    \"b\"\n  ],\n  \"old\": true,\n  \"total\": 3\n}\n"
            ),
        ] {
            try sandbox.expect(line, output)
            #expect(PropertyListData.format(of: try bytes()) == format)
        }
        try sandbox.expectKept("delete ~/app.plist gone")
        try sandbox.expect("write ~/app.plist old -int 2")
        try sandbox.expect("kept restore ~/app.plist old")
        #expect(try sandbox.run("kept ~/app.plist").output.contains(/gone  20.*Z  "Ada L"/))
        try sandbox.expect("kept discard ~/app.plist --all")
        #expect(PropertyListData.format(of: try bytes()) == format)
        #expect(try PropertyListData.parseTable(bytes()) == ["old": true, "list": ["a", "b"], "total": 3])
        #expect(try sandbox.folder.names == ["app.plist"])
    }

    @Test func `are made binary, and read by import`() throws {
        try sandbox.expect("write ~/app.plist key -float 1.5")
        #expect(PropertyListData.format(of: try bytes()) == .binary)
        try sandbox.expect("import copy ~/app.plist")
        #expect(try sandbox.text(ofDomain: "copy") == "{\n  \"key\": 1.5\n}\n")
        try sandbox.expectKept("import ~/app.plist -", input: "{a = 1;}")
        try sandbox.expect("kept discard ~/app.plist --all")
        #expect(try PropertyListData.parseTable(bytes()) == ["a": "1"])
    }

    @Test func `that are damaged are left, with the place of the damage`() throws {
        let text = "<plist>\n<dict>\n<key>a</key>\n</dict></plist>"
        try sandbox.folder.write(text, to: "app.plist")
        try sandbox.refuse("write ~/app.plist key value", "line 4")
        #expect(try sandbox.folder.text(of: "app.plist") == text)
    }

    @Test func `refuse what XML cannot hold, with a remedy`() throws {
        try sandbox.folder.write("<plist><dict/></plist>", to: "app.plist")
        try sandbox.refuse("write ~/app.plist key a\u{1}", "U+1", "binary")
        #expect(try sandbox.folder.text(of: "app.plist") == "<plist><dict/></plist>")
    }

    @Test func `in the folder have no name`() throws {
        try sandbox.write("{\"a\": 1}", toDomain: "app")
        try sandbox.folder.write("<plist><dict><key>b</key><true/></dict></plist>", to: "keyspan/app.plist")
        try sandbox.expect("domains", "app\n")
        try sandbox.expect("read app", "{\n    a = 1;\n}\n")
        try sandbox.expect("read ~/keyspan/app.plist", "{\n    b = 1;\n}\n")
    }
}
