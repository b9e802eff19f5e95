import Foundation
import KeyspanTestSupport
import Testing

@testable import KeyspanTool

/// The exit statuses of the tool, which are the same for all commands.
@Suite struct StatusTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox(["app": #"{"a": 1}"#, "other": #"{"a": 2}"#, "bad": "{"])
        try sandbox.folder.write(#"{"properties": {"a": {"maximum": 0}}}"#, to: "schema.json")
    }

    @Test(
        arguments: [
            ("diff app other", 1), ("diff app app", 0), ("diff app other --output json", 1),
            ("validate app --schema ~/schema.json", 1), ("validate app --schema ~/schema.json --output json", 1),
            // A failure, although another part could be done.
            ("diff app bad", 2), ("validate bad --schema ~/schema.json", 2), ("validate app --schema ~/nope.json", 2),
            ("validate app", 2), ("read bad", 2), ("get bad a", 2), ("get bad a --default 5", 2),
            ("read-type bad a", 2),
            ("find 2", 2), ("find nothing", 2), ("read", 2), ("set bad a x", 2), ("incr bad a", 2), ("delete bad a", 2),
            ("rename bad a b", 2), ("export bad -", 2), ("import app ~/nope.json", 2), ("kept bad", 2),
            ("watch bad", 2),
            ("edit bad", 2), ("rename app a keyspan.kept", 2), ("set app a x", 2),
            // Absent
            ("diff app nope", 3), ("validate nope --schema ~/schema.json", 3), ("read nope", 3), ("get nope a", 3),
            ("get app nope", 3), ("read-type app nope", 3), ("delete app nope", 3), ("delete nope", 3),
            ("rename app nope b", 3), ("export nope -", 3), ("kept app nope", 3), ("kept nope", 3),
            // Misuse
            ("diff app", 64), ("get app", 64), ("set app a -int x", 64), ("validate", 64), ("nope", 64),
        ] as [(String, Int32)]
    )
    func `of commands`(line: String, status: Int32) throws {
        #expect(try sandbox.run(line).status == status, "\(line)")
    }

    @Test func `absence is found although nothing is damaged`() throws {
        try sandbox.folder.remove("keyspan/bad.json")
        #expect(try sandbox.run("find nothing").status == 3)
    }

    @Test func `are those of the manual page and of the help`() throws {
        let repository = String(#filePath.prefix(upTo: #filePath.range(of: "/Tests/")!.lowerBound))
        let page = try String(contentsOfFile: repository + "/Linux/man/keyspan.1", encoding: .utf8)
        let section = try #require(
            page.components(separatedBy: ".Sh EXIT STATUS\n").last?.split(separator: ".El").first
        )
        let documented = section.split(separator: "\n").compactMap {
            $0.hasPrefix(".It ") ? Int32($0.dropFirst(4)) : nil
        }
        let statuses = ToolError.Status.allCases.map(\.rawValue)
        #expect(documented == [0] + statuses)
        let help = try sandbox.run("help").output.split { $0.isWhitespace }.joined(separator: " ")
        let sentence = try #require(help.split(separator: "Exit status of all commands: ").last?.prefix { $0 != "." })
        #expect(sentence.split { !$0.isNumber }.compactMap { Int32($0) } == [0] + statuses)
    }
}
