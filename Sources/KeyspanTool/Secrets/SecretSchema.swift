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
        fileprivate var prefix = ""
        /// Whether the schema is somewhere else, so that nobody knows what it marks.
        fileprivate var isUnknown = false

        fileprivate static let unknown = Scope(schema: [:], isUnknown: true)
    }

    /// A schema of which nothing is known: a reference that leads nowhere.
    static let unknown = SecretSchema(document: ["$ref": ""])

    private let document: PropertyListValue

    private init(document: PropertyListValue) {
        self.document = document
    }

    /// Reads the text of a schema; `nil` for a text that is not a JSON object.
    init?(_ bytes: [UInt8]) {
        guard let table = try? JSONText.parseTable(bytes) else { return nil }
        self.init(document: PlainJSON.object(of: table))
    }

    /// The schemas of a domain.
    var scopes: [Scope] {
        var followed: Set<UTF8Text> = []
        return expanded(document, following: &followed)
    }

    /// Whether a value is secret.
    func isSecret(_ scopes: [Scope]) -> Bool {
        scopes.contains { $0.prefix.isEmpty && $0.schema["writeOnly"] == true }
    }

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

    /// The schemas of a member.
    func scopes(ofMember name: String, in scopes: [Scope]) -> [Scope] {
        let dots = name.utf8.indices.filter { name.utf8[$0] == UInt8(ascii: ".") }
        let starts = [name.startIndex] + dots.map { name.utf8.index(after: $0) }
        // The schemas of the object that has the rest of the name from a start: a schema may nest what the file has in one piece. Each
        // start is visited once, because a schema that refers to itself has as many ways to it as there are pieces of the name.
        var reached: [[Scope]] = [scopes] + dots.map { _ in [] }
        var followedTo: [Set<UTF8Text>] = starts.map { _ in [] }
        var found: [Scope] = []
        var followed: Set<UTF8Text> = []
        for (index, start) in starts.enumerated() where !reached[index].isEmpty {
            let rest = String(name[start...])
            found += reached[index].flatMap { self.scopes(ofMember: rest, in: $0, following: &followed) }
            for (next, dot) in dots.enumerated().dropFirst(index) {
                let piece = String(name[start..<dot])
                reached[next + 1] += reached[index].flatMap {
                    self.scopes(ofProperty: piece, in: $0, following: &followedTo[next + 1])
                }
            }
        }
        return found
    }

    /// The schemas of the elements of an array.
    func scopesOfElements(in scopes: [Scope]) -> [Scope] {
        var followed: Set<UTF8Text> = []
        return scopes.filter(\.prefix.isEmpty).flatMap { scope in
            // The same schemas for all elements: a value too many is hidden rather than one too few.
            let schemas = Self.elementKeywords.flatMap { keyword in
                scope.schema[keyword].map { $0.arrayValue ?? [$0] } ?? []
            }
            return (scope.isUnknown ? [scope] : []) + schemas.flatMap { expanded($0, following: &followed) }
        }
    }

    private func scopes(
        ofMember name: String,
        in scope: Scope,
        following followed: inout Set<UTF8Text>
    ) -> [Scope] {
        if scope.isUnknown { return [scope] }
        let path = scope.prefix + name
        var found = scopes(ofProperty: name, in: scope, following: &followed)
        var isCovered = scope.schema["properties"]?.dictionaryValue?[path] != nil
        for (text, schema) in scope.schema["patternProperties"]?.dictionaryValue ?? [:] {
            let pattern = SchemaPattern(text)
            // A pattern in another form may match: a value too many is hidden rather than one too few.
            if pattern?.matches(path) == false { continue }
            isCovered = isCovered || pattern != nil
            found += expanded(schema, following: &followed)
        }
        if !isCovered, scope.prefix.isEmpty {
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                found += expanded(scope.schema[keyword], following: &followed)
            }
        }
        let names = (scope.schema["properties"]?.dictionaryValue ?? [:]).keys
        if names.contains(where: { $0.hasUTF8Prefix(path + ".") }) {
            found.append(Scope(schema: scope.schema, prefix: path + "."))
        }
        return found
    }

    private func scopes(
        ofProperty name: String,
        in scope: Scope,
        following followed: inout Set<UTF8Text>
    ) -> [Scope] {
        expanded(scope.schema["properties"]?.dictionaryValue?[scope.prefix + name], following: &followed)
    }

    /// A schema and those that apply to the same value.
    ///
    /// - Parameter followed: The references that were followed for the value. A schema may refer to itself, and many times.
    private func expanded(_ value: PropertyListValue?, following followed: inout Set<UTF8Text>) -> [Scope] {
        var found: [Scope] = []
        var pending = [value]
        while let next = pending.popLast() {
            guard let schema = next?.dictionaryValue else { continue }
            found.append(Scope(schema: schema))
            for keyword in ["allOf", "anyOf", "oneOf"] {
                pending += (schema[keyword]?.arrayValue ?? []).map(Optional.some)
            }
            pending += ["if", "then", "else", "not"].map { schema[$0] }
            for keyword in ["dependentSchemas", "dependencies"] {
                pending += (schema[keyword]?.dictionaryValue ?? [:]).map { $0.value }
            }
            for reference in Self.references.compactMap({ schema[$0] }) {
                guard let text = reference.stringValue, let target = target(of: text) else {
                    found.append(.unknown)
                    continue
                }
                if followed.insert(text) { pending.append(target) }
            }
            // The references in a schema with a name of its own lead into that schema, and not into the document.
            if schema["$id"]?.stringValue?.hasUTF8Prefix("#") == false, next != document { found.append(.unknown) }
        }
        return found
    }

    private static let references = ["$ref", "$dynamicRef", "$recursiveRef"]
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
