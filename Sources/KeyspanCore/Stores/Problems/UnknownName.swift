extension Defaults {
    /// A name in a file, a variable or an argument that no key has: probably a misspelt one, whose value would be ignored silently.
    public struct UnknownName: Error, Sendable, Hashable {
        /// The name as the source has it.
        @UTF8Text public private(set) var name: String
        /// The source: the file with the line, the variable or the argument.
        public let source: Provenance
        /// The name of the key that was probably meant; `nil` if no key has a similar name.
        public let suggestion: String?

        /// Makes a problem of a name.
        ///
        /// - Parameters:
        ///   - name: The name as the source has it.
        ///   - source: The source.
        ///   - suggestion: The name that was probably meant.
        @_spi(StoreAuthors) public init(_ name: String, source: Provenance, suggestion: String?) {
            self.name = name
            self.source = source
            self.suggestion = suggestion
        }
    }

    /// The treatment of names in a source that no key has.
    ///
    /// Only a store that is given keys knows which names are unknown. It must be given all keys of its source, including the old names
    /// that migrations move. The entries in which the library itself keeps values are known.
    public enum UnknownNames: Sendable, Hashable {
        /// Each is reported once, as a problem; the default.
        case areReported
        /// The store does not open. While it is open, it rejects a version with such a name, and the values before stay in force.
        case strict
        /// Nothing, for a source that other programs use as well.
        case areIgnored
    }
}

extension Defaults.UnknownName: CustomStringConvertible {
    /// The problem in one sentence.
    public var description: String {
        let advice = suggestion.map { "did you mean \($0.debugDescription)?" } ?? "remove it, or declare a key for it."
        return "\(source): no key has the name \(name.debugDescription); \(advice)"
    }
}
