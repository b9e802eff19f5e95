import Foundation
import KeyspanTestSupport
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
        sandbox = try Sandbox(["app": text])
    }

    @Test(arguments: ["json", "xml", "binary"])
    func `brings every value back exactly, also through standard output and input`(format: String) throws {
        try sandbox.expect("export app ~/out --format \(format)")
        try sandbox.expect("import copy ~/out")
        #expect(try sandbox.text(ofDomain: "copy") == text)
        for place in ["-", "/dev/std"] {
            let (output, input) = place == "-" ? ("-", "-") : ("/dev/stdout", "/dev/stdin")
            let run = try sandbox.shell(
                "keyspan export app \(output) --format \(format) | keyspan import piped \(input)"
            )
            #expect(run == Sandbox.Run(status: 0, output: "", error: ""))
            #expect(try sandbox.text(ofDomain: "piped") == text)
        }
    }

    @Test(arguments: [
        ("~/out.json", "{"), ("~/out.jsonc", "{"), ("~/out.JSONC", "{"), ("~/out.plist", "<?xml"), ("~/out", "<?xml"),
        ("-", "<?xml"),
    ])
    func `chooses the format by the name of the file`(file: String, start: String) throws {
        let run = try sandbox.run("export app \(file)")
        #expect(run.status == 0)
        let output = file == "-" ? run.output : try sandbox.folder.text(of: String(file.dropFirst(2)))
        #expect(output.hasPrefix(start))
    }

    @Test(arguments: [
        "{a = 1;}", "{\"a\": \"1\"}", "\u{FEFF}{\"a\": \"1\"}", "\n  {a = 1;}",
        "<dict><key>a</key><string>1</string></dict>",
    ])
    func `recognises the format of a document and replaces the domain`(document: String) throws {
        try sandbox.expectKept("import app -", input: document)
        #expect(try sandbox.settings(ofDomain: "app") == "{\n  \"a\": \"1\"\n}\n")
    }

    @Test func `imports nothing of a document that it cannot read`() throws {
        for document in [
            "", "word", "[1]", "(a)", "{a = 1", "{\"a\": 1", "<dict>", "bplist00 and no more", "\"text\"",
        ] {
            try sandbox.refuse("import app -", "Standard input", input: document)
            #expect(try sandbox.text(ofDomain: "app") == text)
        }
    }

    @Test func `reports a file that is not there and a folder that is not there`() throws {
        try sandbox.refuse("import app /nonexistent/file", "/nonexistent/file")
        try sandbox.refuse("export app /nonexistent/file", "/nonexistent/file")
        try sandbox.refuse("export app ~/")
    }

    @Test func `says that XML has no fractions of a second`() throws {
        try sandbox.write(#"{"date": {"$date": "2026-11-21T10:50:00.25Z"}}"#, toDomain: "app")
        let run = try sandbox.run("export app -")
        #expect(run.status == 0 && run.error.contains(".date") && run.error.contains("fraction"))
        #expect(run.output.contains("<date>2026-11-21T10:50:00Z</date>"))
    }

    @Test func `refuses what XML cannot hold and writes nothing`() throws {
        try sandbox.write(#"{"text": "\u0001"}"#, toDomain: "app")
        try sandbox.refuse("export app ~/out.plist", "U+1")
        #expect(!sandbox.folder.contains("out.plist"))
    }

    @Test func `replaces a file in one step and keeps its permissions and links`() throws {
        _ = try sandbox.shell("echo old >target && chmod 640 target && ln -s target link")
        let run = try sandbox.run("export app ~/link --format json")
        #expect(run.status == 0 && run.hasOneSentence && run.error.contains("other users can read (mode 0640)"))
        #expect(try sandbox.shell("test -L link && ls -l target | cut -c1-10").output == "-rw-r-----\n")
        #expect(try sandbox.folder.text(of: "target") == text)
        #expect(try sandbox.folder.names == ["keyspan", "link", "target"])
    }
}
