import Foundation
import KeyspanCore
import Testing

/// URLs with a base, which JSON makes absolute.
@Suite struct RelativeURLTests {
    struct Page: Codable, Equatable, Defaults.Serializable, Defaults.PreferStructured {
        var address: URL
    }

    /// A base, and texts that are relative to it.
    private static let bases = [
        ("http://a.b/c/d?e#f", ["x", "/x", "?x", "#x", "../%22x"]), ("y/", ["x"]), ("file:///c/d/", ["x/y"]),
    ]

    static let urls: [URL] =
        bases.flatMap { base, texts in texts.compactMap { URL(string: $0, relativeTo: URL(string: base)) } }
        + [URL(filePath: "x/y"), URL(filePath: "a b", relativeTo: URL(filePath: "/c/d/"))]
        + [URL(string: "x", relativeTo: URL(string: "y/", relativeTo: URL(string: "http://a.b/c")))].compactMap(\.self)

    @Test func `all of them have a base`() {
        #expect(Self.urls.count == 10)
        #expect(Self.urls.allSatisfy { $0.baseURL != nil })
    }

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
    func `another object is not a URL, or a URL without a base`(_ text: String) {
        let stored = Defaults(InMemoryStore(["url": .string(text)]))
        let url = try? stored.value(for: Defaults.Key<URL?>("url"))
        #expect((url ?? nil)?.baseURL == nil)
        #expect(Defaults.URLBridge().deserialize(text) == nil)
    }
}
