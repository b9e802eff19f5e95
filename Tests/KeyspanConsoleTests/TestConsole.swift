import HTTPTypes
import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

/// Sends requests to a console as a page does.
struct TestConsole {
    let console: SettingsConsole

    init(_ console: SettingsConsole) {
        self.console = console
    }

    /// Makes a console whose pages may be changed by anyone.
    init(
        _ keys: [Defaults.AnyKey],
        in store: any PropertyListStore,
        as access: SettingsConsole.Access = .editing(as: "ann"),
        _ change: (inout SettingsConsole.Options) -> Void = { _ in }
    ) {
        var options = SettingsConsole.Options.forTests
        change(&options)
        console = SettingsConsole(keys, in: store, options: options) { _ in access }
    }

    func respond(_ target: String) async -> SettingsConsole.Response { await respond("GET", target) }

    func respond(
        _ method: String,
        _ target: String,
        _ headers: [(name: String, value: String)] = [],
        body: String = ""
    ) async -> SettingsConsole.Response {
        let request = HTTPRequest(method, path: "/settings-console" + target, headers)
        return await console.respond(to: request, from: "127.0.0.1") { _ in Array(body.utf8) }
    }

    /// The text of a page.
    func page(_ target: String = "/") async throws -> String {
        let response = await respond(target)
        try #require(response.status == 200)
        return response.text
    }

    /// The token that a page has.
    func token() async throws -> String {
        try #require(try await page().attribute("content", after: #"name="keyspan-token""#))
    }

    /// The version of all values that a page has.
    func version() async throws -> String {
        try #require(try await page().attribute("content", after: #"name="keyspan-version""#))
    }

    /// The version of a key's value that a page has.
    func version(of key: String) async throws -> String {
        try #require(try await page().attribute("data-version", after: #"data-key="\#(key)""#))
    }

    /// Sends changes as a page does.
    func send(_ changes: [PropertyListDictionary]) async throws -> (status: Int, content: PropertyListDictionary) {
        let body = JSONText.encodeOnOneLine(["changes": .array(changes.map { .dictionary($0) })])
        let headers = [
            (name: "Content-Type", value: "application/json"), ("X-Keyspan-Token", try await token()),
            ("Origin", "https://example.com"), ("Host", "example.com"),
        ]
        let response = await respond("POST", "/changes", headers, body: String(decoding: body, as: UTF8.self))
        let content = try JSONText.parse(Array(response.text.utf8))
        return (response.status, try #require(content.dictionaryValue))
    }

    /// Changes one key from the version that a page has now.
    @discardableResult
    func change(
        _ key: String,
        _ member: String = "text",
        to value: PropertyListValue
    ) async throws -> (status: Int, content: PropertyListDictionary) {
        try await send([["key": .string(key), "version": .string(try await version(of: key)), member: value]])
    }
}

extension SettingsConsole.Options {
    /// Options in which the settings can be changed.
    static var forTests: Self {
        var options = Self()
        options.allowsEditing = true
        return options
    }
}

extension HTTPRequest {
    /// Makes a request of a method and fields that exist.
    init(_ method: String, path: String, _ headers: [(name: String, value: String)] = []) {
        let fields = headers.compactMap { field in
            HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
        }
        let method = HTTPRequest.Method(method) ?? .get
        self.init(method: method, scheme: nil, authority: nil, path: path, headerFields: HTTPFields(fields))
    }
}

extension SettingsConsole.Response {
    var status: Int { head.status.code }

    /// The body as text.
    var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
}

extension String {
    /// The value of an attribute that follows a text.
    func attribute(_ name: String, after mark: String) -> String? {
        guard let start = range(of: mark)?.upperBound,
            let begin = self[start...].range(of: name + "=\"")?.upperBound,
            let end = self[begin...].firstIndex(of: "\"")
        else { return nil }
        return String(self[begin..<end])
    }

    private func range(of text: String) -> Range<Index>? { self[...].range(of: text) }

    /// The row of a key on a page.
    func row(of key: String) -> String? {
        guard let start = range(of: #"<tr role="row" data-key="\#(key)""#)?.lowerBound,
            let end = self[start...].range(of: "</tr>")?.upperBound
        else { return nil }
        return String(self[start..<end])
    }
}

extension Substring {
    func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
