import Foundation
import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct DomainWatcherTests {
    private let folder: TemporaryFolder
    private let domain: Domain

    init() throws {
        folder = try TemporaryFolder()
        domain = Domain(name: "app", path: folder.path("app.json"))
    }

    @Test func `reports keys that were added, changed and removed, sorted`() throws {
        try folder.write(#"{"a": 1, "b": 2, "c": 3}"#, to: "app.json")
        var watcher = try DomainWatcher(domain)
        #expect(watcher.changes().isEmpty)
        try folder.write(#"{"a": 1, "b": 20, "d": 40}"#, to: "app.json")
        #expect(
            watcher.changes() == [
                PropertyListChange.Entry(key: "b", old: 2, new: 20),
                PropertyListChange.Entry(key: "c", old: 3, new: nil),
                PropertyListChange.Entry(key: "d", old: nil, new: 40),
            ]
        )
        #expect(watcher.changes().isEmpty)
    }

    @Test func `waits for a file that is half written`() throws {
        try folder.write(#"{"a": 1}"#, to: "app.json")
        var watcher = try DomainWatcher(domain)
        try folder.write(#"{"a": 2, "b"#, to: "app.json")
        #expect(watcher.changes().isEmpty)
        #expect(watcher.table == ["a": 1])
        try folder.write(#"{"a": 2, "b": 3}"#, to: "app.json")
        #expect(watcher.changes().map(\.key) == ["a", "b"])
    }

    @Test func `passes over a file that is missing for one look`() throws {
        try folder.write(#"{"a": 1}"#, to: "app.json")
        var watcher = try DomainWatcher(domain)
        try FileManager.default.removeItem(atPath: domain.path)
        #expect(watcher.changes().isEmpty)
        try folder.write(#"{"a": 1}"#, to: "app.json")
        #expect(watcher.changes().isEmpty)
        try FileManager.default.removeItem(atPath: domain.path)
        #expect(watcher.changes().isEmpty)
        #expect(watcher.changes() == [PropertyListChange.Entry(key: "a", old: 1, new: nil)])
    }

    @Test func `begins before there is a file and creates none`() throws {
        var watcher = try DomainWatcher(domain)
        #expect(watcher.changes().isEmpty)
        #expect(try folder.names.isEmpty)
        try folder.write(#"{"a": 1}"#, to: "app.json")
        #expect(watcher.changes() == [PropertyListChange.Entry(key: "a", old: nil, new: 1)])
    }
}
