import Foundation
import Testing

/// `import` and `export`, as a user runs them.
@Suite struct ImportExportTests {
    private let sandbox: Sandbox

    /// Values that a careless format would change.
    private let text = """
        {
          "$data": "not data",
          "big": 18446744073709551615,
          "blob": {"$data": "D713"},
          "date": {"$date": "2026-11-21T10:50:00Z"},
          "integer": 1,
          "list": [
            true,
            1,
            1.0,
            -0.0,
            "$null",
            {}
          ],
          "real": 1.0
        }

        """

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(text, toDomain: "app")
    }

    @Test(arguments: ["json", "xml", "binary"])
    func `brings every value back exactly`(format: String) throws {
        #expect(try sandbox.shell("\"$KEYSPAN\" export app out --format \(format)").status == 0)
        let result = try sandbox.shell("\"$KEYSPAN\" import copy out")
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        #expect(try sandbox.text(ofDomain: "copy") == text)
    }

    @Test(arguments: [("out.json", "{"), ("out.plist", "<?xml"), ("out", "<?xml"), ("-", "<?xml")])
    func `chooses the format by the name of the file`(file: String, start: String) throws {
        let result = try sandbox.shell("\"$KEYSPAN\" export app \(file)")
        #expect(result.status == 0)
        #expect(try (file == "-" ? result.output : sandbox.folder.text(of: file)).hasPrefix(start))
    }

    @Test(arguments: ["json", "xml", "binary"])
    func `goes through standard output and input`(format: String) throws {
        let result = try sandbox.shell("\"$KEYSPAN\" export app - --format \(format) | \"$KEYSPAN\" import copy -")
        #expect(result.status == 0)
        #expect(try sandbox.text(ofDomain: "copy") == text)
    }

    @Test func `goes through pipes that have a path`() throws {
        let result = try sandbox.shell(
            "\"$KEYSPAN\" export app /dev/stdout --format json | \"$KEYSPAN\" import copy /dev/stdin"
        )
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        #expect(try sandbox.text(ofDomain: "copy") == text)
    }

    @Test(arguments: [
        "{a = 1;}", "{\"a\": \"1\"}", "\u{FEFF}{\"a\": \"1\"}", "\n  {a = 1;}",
        "<dict><key>a</key><string>1</string></dict>",
    ])
    func `recognises the format of a document and replaces the domain`(document: String) throws {
        #expect(try sandbox.run("import", "app", "-", input: document).status == 0)
        #expect(try sandbox.text(ofDomain: "app") == "{\n  \"a\": \"1\"\n}\n")
    }

    @Test(arguments: ["", "word", "[1]", "(a)", "{a = 1", "{\"a\": 1", "<dict>", "bplist00 and no more", "\"text\""])
    func `imports nothing of a document that it cannot read`(document: String) throws {
        let result = try sandbox.run("import", "app", "-", input: document)
        #expect(result.status == 1)
        #expect(result.error.contains("Standard input"))
        #expect(try sandbox.text(ofDomain: "app") == text)
    }

    @Test func `reports a file that is not there and a folder that is not there`() throws {
        let missing = try sandbox.run("import", "app", "/nonexistent/file")
        #expect(missing.status == 1)
        #expect(missing.error.contains("/nonexistent/file"))
        let unwritable = try sandbox.run("export", "app", "/nonexistent/file")
        #expect(unwritable.status == 1)
        #expect(unwritable.error.contains("/nonexistent/file"))
        #expect(try sandbox.run("export", "app", sandbox.folder.path).status == 1)
    }

    @Test func `says that XML has no fractions of a second`() throws {
        try sandbox.write(#"{"date": {"$date": "2026-11-21T10:50:00.25Z"}}"#, toDomain: "app")
        let result = try sandbox.run("export", "app", "-")
        #expect(result.status == 0)
        #expect(result.error.contains(".date") && result.error.contains("fraction"))
        #expect(result.output.contains("<date>2026-11-21T10:50:00Z</date>"))
    }

    @Test func `refuses what XML cannot hold and writes nothing`() throws {
        try sandbox.write(#"{"text": "\u0001"}"#, toDomain: "app")
        let result = try sandbox.shell("\"$KEYSPAN\" export app out.plist")
        #expect(result.status == 1)
        #expect(result.error.contains("U+1"))
        #expect(!sandbox.folder.contains("out.plist"))
    }

    @Test func `replaces a file in one step and keeps its permissions and links`() throws {
        let result = try sandbox.shell(
            "echo old >target && chmod 640 target && ln -s target link && \"$KEYSPAN\" export app link --format json"
                + " && test -L link && ls -l target | cut -c1-10"
        )
        #expect(result.output == "-rw-r-----\n")
        #expect(try sandbox.folder.text(of: "target") == text)
        #expect(try sandbox.folder.names == ["keyspan", "link", "target"])
    }
}
