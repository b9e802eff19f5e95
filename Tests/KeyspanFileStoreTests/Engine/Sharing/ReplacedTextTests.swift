import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// The text of a file that a person has edited, saved beside programs that have the file open.
@Suite struct ReplacedTextTests {
    private let folder: TemporaryFolder
    private let fileSystem = FaultyFileSystem()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("{\n  // old\n  \"a\": 1\n}\n", to: "file.jsonc")
    }

    private let reports = Recorder<FileReport>()

    /// A store as another process would have it.
    private func open(validate: (@Sendable (PropertyListTable) throws -> Void)? = nil) throws -> JSONFileStore {
        try JSONFileStore(
            path: folder.path("file.jsonc"),
            validate: validate,
            seams: .manual(fileSystem, report: reports.record)
        )
    }

    private func edited(_ text: String) throws -> PropertyListTable {
        try JSONFileCodec(allowingComments: true).decode(Array(text.utf8))
    }

    @Test func `takes effect in one step, over what is in the journal alone`() throws {
        let (program, editor) = (try open(), try open())
        try program.apply(PropertyListBatch(.set(2, key: "b")))
        try program.synchronize()
        let new = try edited("{\n  // new\n  \"a\": 5, \"b.c\": 7 /* c */\n}\n")
        var found: PropertyListTable?
        _ = try editor.engine.replaceText { present in
            found = present
            var new = new
            new.setEntry("b", to: present.entry("b"))
            return new
        }
        #expect(found == ["a": 1, "b": 2])
        let text = "{\n  // new\n  \"a\": 5, \"b.c\": 7, /* c */\n  \"b\": 2\n}\n"
        #expect(try folder.text(of: "file.jsonc") == text)
        try program.reload()
        for store in [program, editor, try open()] { #expect(store.snapshot() == ["a": 5, "b": 2, "b.c": 7]) }
        // The program goes on with the new text.
        try program.apply(PropertyListBatch(.set(6, key: "a")))
        try program.synchronize()
        #expect(try open().value(forKey: "a") == 6)
        _ = try editor.engine.replaceText { _ in nil }
        #expect(try open().value(forKey: "a") == 6)
    }

    @Test(arguments: [SystemCall.write, .rename]) func `is not there in part if the disk fails`(call: SystemCall) throws
    {
        let (editor, new) = (try open(), try edited("{\"a\": 5} // new"))
        let before = try folder.text(of: "file.jsonc")
        fileSystem.inject(.refusal(call, errno: ENOSPC))
        #expect(throws: FileStoreError.self) { _ = try editor.engine.replaceText { _ in new } }
        fileSystem.inject(.none)
        #expect(try folder.text(of: "file.jsonc") == before)
        #expect(editor.snapshot() == ["a": 1])
        _ = try editor.engine.replaceText { _ in new }
        #expect(try folder.text(of: "file.jsonc") == "{\"a\": 5} // new")
        #expect(editor.snapshot() == ["a": 5])
    }

    @Test func `is in the file but not in effect if a validator of the process refuses it`() throws {
        struct Refusal: Error {}
        let editor = try open { table in if table["a"] == 5 { throw Refusal() } }
        let (refused, mended) = try (edited("{\"a\": 5}"), edited("{\"a\": 6}"))
        let rejection = try editor.engine.replaceText { _ in refused }
        #expect(rejection is Refusal && editor.snapshot() == ["a": 1] && reports.count == 0)
        #expect(try folder.text(of: "file.jsonc") == "{\"a\": 5}")
        #expect(try editor.engine.replaceText { _ in mended } == nil)
        #expect(editor.snapshot() == ["a": 6])
    }
}
