extension Defaults {
    /// The name of a key as a type of its own, which your code can extend with names and with functions that make them.
    ///
    /// ```swift
    /// extension Defaults.KeyName {
    ///     static let theme: Self = "appearance.theme"
    ///
    ///     static func endpoint(of environment: String) -> Self { "endpoint.\(environment)" }
    /// }
    ///
    /// let endpoint = Defaults.Key<String>(.endpoint(of: "staging"), default: "https://localhost")
    /// ```
    public struct KeyName: Sendable, Hashable, Identifiable, RawRepresentable, ExpressibleByStringInterpolation {
        /// The name under which a store has the value.
        public let name: String

        /// The name, for code that treats names as raw values.
        public var rawValue: String { name }

        /// The name, which identifies the key within a store.
        public var id: String { name }

        /// Makes a key's name of a text.
        public init(_ name: String) {
            self.name = name
        }

        public init(rawValue name: String) {
            self.init(name)
        }

        public init(stringLiteral name: String) {
            self.name = name
        }
    }
}

// Written out, because the ones that the standard library has for types with raw values compare these as `String` does.
extension Defaults.KeyName {
    /// Whether the UTF-8 of the names is the same.
    public static func == (left: Self, right: Self) -> Bool { left.name.hasSameUTF8(as: right.name) }

    /// Whether the UTF-8 of the names differs.
    public static func != (left: Self, right: Self) -> Bool { !(left == right) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(UTF8Text(name))
    }
}

extension Defaults.KeyName: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
