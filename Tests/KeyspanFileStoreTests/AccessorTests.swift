import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The accessors in the manner of `UserDefaults`, on a file.
@Suite struct AccessorTests {
    @Test func `what they write is read from the file again`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("settings.json")
        let url = URL(string: "https://example.com/a")
        let store = try JSONFileStore(path: path)
        store.set(true, forKey: "boolean")
        store.set(1, forKey: "integer")
        store.set(1.0, forKey: "real")
        store.set(Date(timeIntervalSinceReferenceDate: 1.5), forKey: "date")
        store.set(Data([1, 2]), forKey: "data")
        store.set(url, forKey: "url")
        store.set(["a", "b"], forKey: "strings")
        store.set("12" as PropertyListValue, forKey: "text")
        store.set(nil, forKey: "absent")
        try store.synchronize()
        let reopened = try JSONFileStore(path: path)
        #expect(reopened.dictionaryRepresentation() == store.dictionaryRepresentation())
        #expect(reopened.object(forKey: "boolean") == true && reopened.object(forKey: "integer") == 1)
        #expect(reopened.object(forKey: "real") == 1.0 && reopened.data(forKey: "data") == Data([1, 2]))
        #expect(reopened.url(forKey: "url") == url && reopened.stringArray(forKey: "strings") == ["a", "b"])
        #expect(reopened.integer(forKey: "text") == 12 && !reopened.bool(forKey: "absent"))
    }
}
