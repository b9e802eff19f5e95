extension Defaults {
    /// Keys with what they say of themselves, and the values that a store has for them.
    ///
    /// ``describe(_:)`` and ``Group/describe()`` make it. It is a table of rows; ``text`` and ``markdown`` write it for
    /// people, ``schema`` for programs. What a key marks as secret is in none of them.
    public struct Description: Sendable, Hashable {
        /// A row for each key, in the order of the keys.
        public let rows: [Row]

        /// Joins rows.
        package init(rows: [Row]) {
            self.rows = rows
        }

        /// One key.
        public struct Row: Sendable, Hashable {
            /// The name of the key.
            @UTF8Text public private(set) var name: String
            /// The type of its values, as Swift code writes it.
            public let type: String
            /// What is read where the store has no value.
            public let defaultValue: Content
            /// What is read now, in its stored form.
            public let value: Content
            /// Where the value came from; `nil` for the default.
            public let provenance: Provenance?
            /// What the rules of the key ask for, as words that follow "has to be".
            public let requirements: [String]
            /// What the value is for, if the key says so.
            public let summary: String?
            /// Whether the key is marked as secret.
            public let isSecret: Bool

            /// The JSON Schema of each entry that the value is in.
            let schemas: TextDictionary<PropertyListDictionary>
        }

        /// What a row shows of a value.
        public enum Content: Sendable, Hashable {
            /// There is none.
            case none
            /// A value in its stored form.
            case value(PropertyListValue)
            /// A default that is made anew for each read.
            case computed
            /// There is one, and it is secret.
            case secret
            /// A value that the key cannot read, or a default that it cannot store, and why.
            case unreadable(reason: String)
        }
    }
}

extension Defaults.Description.Content: CustomStringConvertible {
    /// The content on one line; a text value is in quotes, so that it is none of the other words.
    public var description: String {
        switch self {
        case .none: "none"
        case .value(let value): value.description
        case .computed: "computed"
        case .secret: "secret"
        case .unreadable(let reason): "unreadable: \(reason)"
        }
    }
}
