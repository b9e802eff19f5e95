extension Defaults {
    /// A table of keys, their declarations, and the values that a store has for them.
    ///
    /// ``describe(_:)`` and ``Group/describe()`` make it. ``description`` and ``markdown`` format it for people, `jsonSchema`
    /// of `Keyspan` for programs. ``help(_:width:)`` is the table for a program's own users. None of them shows the value of a secret key.
    public struct SettingsDescription: Sendable, Hashable {
        /// A row for each key, in the order of the keys.
        public let rows: [Row]

        /// Makes a description from rows.
        package init(rows: [Row]) {
            self.rows = rows
        }

        /// One key.
        public struct Row: Sendable, Hashable {
            /// The name of the key.
            @UTF8Text public private(set) var name: String
            /// The type of the key's values, in Swift's notation.
            public let type: String
            /// The value that is read where the store has none.
            public let defaultValue: Content
            /// The present value in its stored form.
            public let value: Content
            /// The source of the value; `nil` for the default.
            public let provenance: Provenance?
            /// The requirements of the key's rules, as words that follow "must be".
            public let requirements: [String]
            /// The purpose of the value, if the key has a summary.
            public let summary: String?
            /// Whether the key is marked as secret.
            public let isSecret: Bool

            /// The kind of values, in words for people who do not know the program's code.
            package let words: String
            /// The default in the form in which people write it; `nil` if there is none that the key reads.
            package let defaultText: String?
            /// Whether the value is true or false.
            package let isFlag: Bool
            /// The JSON Schema of each entry that holds the value.
            package let schemas: TextDictionary<PropertyListDictionary>
        }

        /// The part of a value that a row shows.
        public enum Content: Sendable, Hashable {
            /// The absence of a value.
            case none
            /// A value in its stored form.
            case value(PropertyListValue)
            /// A default that is computed for each read.
            case computed
            /// A value that is not shown, because it is secret, or because that of a secret key is inside of it or around it.
            case secret
            /// A value that the key cannot use, or a default that it cannot store.
            case unreadable(reason: String)
        }
    }
}

extension Defaults.SettingsDescription.Content: CustomStringConvertible {
    /// The content on one line.
    ///
    /// A text value is quoted, which distinguishes it from the other words. A collection is JSON text, if that has a form for all of it.
    public var description: String {
        switch self {
        case .none: "none"
        case .value(let value): value.shownText
        case .computed: "computed"
        case .secret: "secret"
        case .unreadable(let reason): "unusable: \(reason)"
        }
    }
}

extension PropertyListValue {
    /// The value on one line in the form in which people write it, as far as it has one, with texts in quotation marks.
    fileprivate var shownText: String {
        switch self {
        case .array, .dictionary: writtenText ?? description
        case .boolean, .integer, .real, .string, .date, .data: description
        }
    }
}

extension Defaults {
    /// Describes keys and the values that the store has for them at one point in time.
    ///
    /// ```swift
    /// let timeout = Defaults.Key<Double>("timeout", default: 30)
    ///     .summary("Seconds to wait for an answer.")
    /// let token = Defaults.Key<String?>("token")
    ///     .secret()
    ///
    /// print(Defaults(InMemoryStore()).describe([timeout, token]))
    /// ```
    ///
    /// prints:
    ///
    /// ```text
    /// Name     Type     Default  Value  Source   Rules  Summary
    /// timeout  Double   30.0     30.0   default         Seconds to wait for an answer.
    /// token    String?  none     none   default
    /// ```
    ///
    /// Each file of the store is read once, to find the lines of the values. Closures that make default values are not called.
    public func describe(_ keys: [AnyKey]) -> SettingsDescription {
        describe(keys, in: store.snapshot(), findingLines: true)
    }

    /// Describes keys and the values that they have in a state of the store, with the present sources of the values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - table: The state.
    ///   - findingLines: Whether to look for the lines of values in files, which reads these.
    package func describe(
        _ keys: [AnyKey],
        in table: PropertyListTable,
        findingLines: Bool
    ) -> SettingsDescription {
        let provenance = store.provenance(ofKeys: keys.flatMap { $0.entryNames }, findingLines: findingLines)
        let secrets = SecretPlaces(of: keys, in: table)
        let rows = keys.compactMap {
            ($0 as? any DescribableKey)?.row(in: table, of: store, from: provenance, hiding: secrets)
        }
        return SettingsDescription(rows: rows)
    }
}

extension Defaults.Group {
    /// Describes the keys of the group and the values that the store has for them.
    ///
    /// The keys are those of ``allKeys``.
    public func describe() -> Defaults.SettingsDescription { defaults.describe(allKeys) }
}

extension Defaults.SettingsDescription {
    /// The JSON Schema (draft 2020-12) of each entry that holds the value of a key.
    ///
    /// A schema has the type of the value, its default, its summary as `description`, and the rules that JSON Schema can
    /// express: `minimum`, `maximum`, `enum`, `pattern`. Secrets are `writeOnly`, without a default and an `enum`.
    ///
    /// Values written by a key satisfy the schema, in the form in which a JSON file store has them. A rule is omitted where it
    /// does not hold for the stored form: if a custom bridge stores the value, and for a regular expression without an
    /// equivalent in ECMA 262.
    ///
    /// - SeeAlso: [JSON Schema 2020-12](https://json-schema.org/draft/2020-12).
    package var entrySchemas: TextDictionary<PropertyListDictionary> {
        rows.reduce(into: [:]) { schemas, row in schemas.merge(row.schemas) { $1 } }
    }
}
