import Foundation
import KeyspanCore
import Testing

/// URLs with a base, which JSON makes absolute.
@Suite struct RelativeURLTests {
    struct Page: Codable, Equatable, Defaults.Serializable, Defaults.PreferStructured {
        var address: URL
    }

    private static let base = URL(string: "http://a.b/c/d?e#f")!

    static let urls: [URL] = [
        URL(string: "x", relativeTo: base)!, URL(string: "/x", relativeTo: base)!, URL(string: "?x", relativeTo: base)!,
        URL(string: "#x", relativeTo: base)!, URL(string: "../%22x", relativeTo: base)!, URL(filePath: "x/y"),
        URL(filePath: "a b", relativeTo: URL(filePath: "/c/d/")), URL(string: "x", relativeTo: URL(string: "y/")!)!,
        URL(string: "x", relativeTo: URL(string: "y/", relativeTo: base))!,
    ]

    @Test(arguments: urls)
    func `a URL keeps its base`(_ url: URL) throws {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let keys = [Defaults.Key<URL?>("url"), .url(coercing: "url")]
        for key in keys {
            defaults[key] = url
            for reader in keys { #expect(try defaults.value(for: reader) == url) }
            #expect(store.url(forKey: "url") == url)
        }
        let text = try #require(store.string(forKey: "url"))
        #expect(text.hasPrefix(#"{"base":"#))
        store.set(Data(text.utf8), forKey: "url")
        #expect(try defaults.value(for: keys[0]) == url)
        let page = Defaults.Key<Page?>("page")
        defaults[page] = Page(address: url)
        #expect(try defaults.value(for: page) == Page(address: url))
        #expect(store.value(forKey: "page")?["address"]?["relative"]?.stringValue == url.relativeString)
    }

    @Test(arguments: ["{", "{\"", "{\"base\":\"a\"}", "{\"base\":1,\"relative\":2}"])
    func `what is no such object is no URL, or one without a base`(_ text: String) {
        let stored = Defaults(InMemoryStore(["url": .string(text)]))
        let url = try? stored.value(for: Defaults.Key<URL?>("url"))
        #expect((url ?? nil)?.baseURL == nil)
        #expect(Defaults.URLBridge().deserialize(text) == nil)
    }
}
