import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// The parts of a JSON Schema that say which values are secret: those with `"writeOnly": true`, as `describe().jsonSchema` marks them.
///
/// Unlike ``JSONSchema`` it reads any schema, because a keyword that it does not know marks nothing as secret. A reference that it cannot
/// follow may lead to anything, so the values behind it may be secret.
struct SecretSchema {
    /// A schema for a value, or for the values whose names begin with a prefix.
    ///
    /// A program's schema has `tls.password` in one piece, and its file may nest it.
    struct Scope {
        fileprivate let schema: PropertyListDictionary
        /// The way to the schema in the document, from its beginning or from a reference.
        fileprivate var place = ""
        fileprivate var prefix = ""
        /// Whether the schema is somewhere else, so that nobody knows what it marks.
        fileprivate var isUnknown = false

        fileprivate var isSecret: Bool { prefix.isEmpty && schema["writeOnly"] == true }

        fileprivate static let unknown = Scope(schema: [:], isUnknown: true)
        fileprivate static let secret = Scope(schema: ["writeOnly": true])
    }

    /// A schema that marks nothing.
    static let empty = SecretSchema(document: [:])
    /// A schema of which nothing is known: a reference that leads nowhere.
    static let unknown = SecretSchema(document: ["$ref": ""])

    private let document: PropertyListValue

    private init(document: PropertyListValue) {
        self.document = document
    }

    /// Reads the text of a schema; `nil` for a text that is not a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let table = (try? JSONText.parseTable(bytes)) ?? (try? JSONText.parseTable(Self.withoutNulls(bytes)))
        else { return nil }
        self.init(document: PlainJSON.object(of: table))
    }

    /// A schema with empty texts in place of `null`, which the values of a domain do not have, and which marks nothing.
    private static func withoutNulls(_ bytes: [UInt8]) -> [UInt8] {
        let (null, quote, backslash) = (Array("null".utf8), UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var (result, rest, isInText) = ([UInt8](), bytes[...], false)
        while let byte = rest.first {
            if !isInText, rest.starts(with: null) {
                result += [quote, quote]
                rest = rest.dropFirst(null.count)
                continue
            }
            let count = isInText && byte == backslash ? 2 : 1
            if byte == quote { isInText.toggle() }
            result += rest.prefix(count)
            rest = rest.dropFirst(count)
        }
        return result
    }

    /// The schemas of a domain.
    var scopes: [Scope] {
        var visited: Set<UTF8Text> = []
        return expanded(document, at: "", besides: &visited)
    }

    /// Whether a value is secret.
    func isSecret(_ scopes: [Scope]) -> Bool { scopes.contains(where: \.isSecret) }

    /// Whether a part of the schemas of a value is unknown, so that the value, and each value inside of it, may be secret.
    func isUnknown(_ scopes: [Scope]) -> Bool { scopes.contains(where: \.isUnknown) }

    /// The first reference that cannot be followed; `nil` if all of them lead to a part of the document.
    var unfollowedReference: String? {
        var pending = [document]
        while let next = pending.popLast() {
            if let members = next.dictionaryValue {
                let references = Self.references.compactMap { members[$0]?.stringValue }
                if let reference = references.first(where: { target(of: $0) == nil }) { return reference }
                pending += members.sortedByName().map(\.value)
            } else {
                pending += next.arrayValue ?? []
            }
        }
        return nil
    }

    /// The most work for the schemas of a member, in schemas that are looked into and in bytes of names.
    private static let mostWork = 100_000

    /// The schemas of a member, and of each value that the pieces of its name between dots could lead to.
    ///
    /// A schema may nest what a file has in one piece, and the names of members may have dots themselves, so each grouping of the pieces
    /// counts. A member of a secret value is secret. A name that takes too much work is one that the schema marks.
    func scopes(ofMember name: String, in scopes: [Scope]) -> [Scope] {
        let bytes = name.utf8
        let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
        let (starts, ends) = ([name.startIndex] + dots.map(bytes.index(after:)), dots + [name.endIndex])
        // The schemas of the value before each piece, and of that behind the last one; each schema counts once at each place.
        var reached = [scopes] + ends.map { _ in [] }
        var visited: [Set<UTF8Text>] = ends.map { _ in [] }
        var work = 0
        for (index, start) in starts.enumerated() {
            if reached[index].contains(where: \.isSecret) { return [.secret] }
            if reached[index].contains(where: \.isUnknown), visited[ends.count - 1].insert(Self.unknownPlace) {
                reached[ends.count].append(.unknown)
            }
            let present = reached[index].filter { !$0.schema.isEmpty }
            if present.isEmpty { continue }
            for next in index..<ends.count {
                let member = String(name[start..<ends[next]])
                for scope in present {
                    let patterns = scope.schema["patternProperties"]?.dictionaryValue?.count ?? 0
                    work += (1 + member.utf8.count / 32) * (1 + 25 * patterns)
                    if work > Self.mostWork { return [.secret] }
                    reached[next + 1] += self.scopes(ofProperty: member, in: scope, besides: &visited[next])
                    if next + 1 == ends.count { reached[next + 1] += rest(of: member, in: scope, &visited[next]) }
                }
            }
        }
        return reached[ends.count]
    }

    /// The schemas of the elements of an array.
    func scopesOfElements(in scopes: [Scope]) -> [Scope] {
        var visited: Set<UTF8Text> = []
        return scopes.filter(\.prefix.isEmpty).flatMap { scope in
            // The same schemas for all elements: a value too many is hidden rather than one too few.
            (scope.isUnknown ? [scope] : [])
                + Self.elementKeywords.flatMap { keyword -> [Scope] in
                    guard let value = scope.schema[keyword] else { return [] }
                    return (value.arrayValue ?? [value]).enumerated().flatMap { index, schema in
                        expanded(schema, at: "\(scope.place)/\(keyword)/\(index)", besides: &visited)
                    }
                }
        }
    }

    /// The schemas of a member whose name is in one piece.
    private func scopes(ofProperty name: String, in scope: Scope, besides visited: inout Set<UTF8Text>) -> [Scope] {
        let path = scope.prefix + name
        let property = scope.schema["properties"]?.dictionaryValue?[path]
        var found = expanded(property, at: Self.place("properties", path, in: scope), besides: &visited)
        var isCovered = property != nil
        for (text, schema) in scope.schema["patternProperties"]?.dictionaryValue ?? [:] {
            let pattern = SchemaPattern(text)
            // A pattern in another form may match: a value too many is hidden rather than one too few.
            if pattern?.matches(path) == false { continue }
            isCovered = isCovered || pattern != nil
            found += expanded(schema, at: Self.place("patternProperties", text, in: scope), besides: &visited)
        }
        if !isCovered {
            for keyword in Self.otherKeywords {
                found += expanded(scope.schema[keyword], at: "\(scope.place)/\(keyword)", besides: &visited)
            }
        }
        return found
    }

    /// A schema as that of the members of a member, whose names it has in one piece with that of the member.
    private func rest(of name: String, in scope: Scope, _ visited: inout Set<UTF8Text>) -> [Scope] {
        let prefix = "\(scope.prefix)\(name)."
        let names = (scope.schema["properties"]?.dictionaryValue ?? [:]).keys
        // Patterns, and the schemas of all other members, are for names with dots as well.
        let isForAny = (["patternProperties"] + Self.otherKeywords).contains { scope.schema[$0]?.kind == .dictionary }
        guard isForAny || names.contains(where: { $0.hasUTF8Prefix(prefix) }),
            visited.insert("\(prefix.utf8.count)\(scope.place) \(prefix)")
        else { return [] }
        return [Scope(schema: scope.schema, place: scope.place, prefix: prefix)]
    }

    /// A schema and those that apply to the same value.
    ///
    /// - Parameters:
    ///   - place: The place of the schema.
    ///   - visited: The places of the schemas that are known for the value. A schema may refer to itself, and many times.
    private func expanded(
        _ value: PropertyListValue?,
        at place: String,
        besides visited: inout Set<UTF8Text>
    ) -> [Scope] {
        var found: [Scope] = []
        var pending = [(value, place)]
        while let (next, place) = pending.popLast() {
            guard let schema = next?.dictionaryValue, visited.insert(place) else { continue }
            found.append(Scope(schema: schema, place: place))
            for keyword in ["allOf", "anyOf", "oneOf"] {
                for (index, value) in (schema[keyword]?.arrayValue ?? []).enumerated() {
                    pending.append((value, "\(place)/\(keyword)/\(index)"))
                }
            }
            pending += ["if", "then", "else", "not"].map { (schema[$0], "\(place)/\($0)") }
            for keyword in ["dependentSchemas", "dependencies"] {
                for (name, value) in schema[keyword]?.dictionaryValue ?? [:] {
                    pending.append((value, Self.place(keyword, name, in: Scope(schema: schema, place: place))))
                }
            }
            var isUnknown = false
            for reference in Self.references.compactMap({ schema[$0] }) {
                if let text = reference.stringValue, let target = target(of: text) {
                    pending.append((target, "#\(text.utf8.count):\(text)"))
                } else {
                    isUnknown = true
                }
            }
            // The references in a schema with a name of its own lead into that schema, and not into the document.
            if schema["$id"]?.stringValue?.hasUTF8Prefix("#") == false, next != document { isUnknown = true }
            if isUnknown, visited.insert(Self.unknownPlace) { found.append(.unknown) }
        }
        return found
    }

    private static let unknownPlace = "?"

    /// The place of a schema under a name; the length tells where the name ends.
    private static func place(_ keyword: String, _ name: String, in scope: Scope) -> String {
        "\(scope.place)/\(keyword)/\(name.utf8.count):\(name)"
    }

    private static let references = ["$ref", "$dynamicRef", "$recursiveRef"]
    private static let otherKeywords = ["additionalProperties", "unevaluatedProperties"]
    private static let elementKeywords = ["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"]

    /// The schema that a reference within the document leads to: a JSON pointer (RFC 6901) in the fragment of a URL.
    ///
    /// - Returns: `nil` if there is none, as for another document and for an anchor.
    private func target(of reference: String) -> PropertyListValue? {
        guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
        let pointer = Self.decoded(reference.utf8.dropFirst())
        guard pointer.isEmpty || pointer.hasUTF8Prefix("/") else { return nil }
        let steps = pointer.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        let target = steps.reduce(document as PropertyListValue?) { value, step in
            let name = String(Substring(step)).replacing("~1", with: "/").replacing("~0", with: "~")
            return value?.dictionaryValue?[name]
                ?? value?.arrayValue.flatMap { elements in
                    Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                }
        }
        return [.dictionary, .boolean].contains(target?.kind) ? target : nil
    }

    /// A text without the escapes of a URL, such as `%C3%A9`; anything else after a percent sign stays.
    private static func decoded(_ text: some Collection<UInt8>) -> String {
        var (bytes, rest) = ([UInt8](), Array(text)[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
