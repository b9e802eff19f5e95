extension Defaults {
    /// A name in a file, a variable or an argument that no key has: probably a misspelt one, whose value would be ignored silently.
    public struct UnknownName: Error, Sendable, Hashable {
        /// The kinds of names that a key has in its sources.
        public enum Kind: String, Sendable, Hashable {
            /// The name of an entry in a file of settings.
            case name
            /// The name of a variable, of the environment or of a `.env` file.
            case variable
            /// An argument, without its value.
            case argument
            /// A file that holds one value.
            case file
        }

        /// The name as the source has it.
        @UTF8Text public private(set) var name: String
        /// The kind of the name.
        public let kind: Kind
        /// The source: the file with the line, the variable or the argument.
        public let source: Provenance
        /// The name of the key that was probably meant, in the form of this source, such as its variable; `nil` if no key has a
        /// similar name.
        public let suggestion: String?
        /// A key whose name begins with this name and a dot, which makes it the name of a group of keys; `nil` if there is none.
        public let memberOfGroup: String?

        /// Makes a problem of a name.
        ///
        /// - Parameters:
        ///   - name: The name as the source has it.
        ///   - kind: The kind of the name.
        ///   - source: The source.
        ///   - suggestion: The name that was probably meant.
        ///   - memberOfGroup: A key in the group of that name, if it is one.
        @_spi(StoreAuthors) public init(
            _ name: String,
            _ kind: Kind = .name,
            source: Provenance,
            suggestion: String?,
            memberOfGroup: String? = nil
        ) {
            self.kind = kind
            self.source = source
            self.suggestion = suggestion
            self.memberOfGroup = memberOfGroup
            self.name = name
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

    /// All variables or arguments that no key has; thrown by stores that are opened with ``UnknownNames/strict``.
    public struct UnknownNamesError: Error, Sendable, Hashable {
        /// The names, in the order of the source; never empty.
        public let names: [UnknownName]

        package init(names: [UnknownName]) {
            self.names = names
        }
    }
}

extension Defaults.UnknownName: CustomStringConvertible {
    /// The problem in one sentence.
    public var description: String {
        // A source with a detail, and a file, is named by the name itself.
        let isNamed = kind == .file || source.sources.first?.detail != nil
        let subject = isNamed ? "this \(kind.rawValue)" : "the \(kind.rawValue) \(text(of: name))"
        return "\(source): no key has \(subject); \(advice)"
    }

    private var advice: String {
        if let memberOfGroup {
            return kind == .name
                ? "it is a group of keys, such as \(text(of: memberOfGroup)): write an object with their values there."
                : "it is a group of keys: give them values one at a time, such as \(text(of: memberOfGroup))."
        }
        if let suggestion { return "did you mean \(text(of: suggestion))?" }
        return kind == .name
            ? "remove it, or declare a key for it."
            : "remove it, declare a key for it, or name it in `alsoKnown`."
    }

    /// The name and the suggestion, as a clause.
    package var clause: String {
        "no key has the \(kind.rawValue) \(text(of: name))"
            + (memberOfGroup.map { " (it is a group of keys, such as \(text(of: $0)))" } ?? "")
            + (suggestion.map { " (did you mean \(text(of: $0))?)" } ?? "")
    }

    private func text(of name: String) -> String {
        kind == .name ? name.quoted : Self.shown(name)
    }

    /// A name as text for people: in quotes if it has characters that could mislead them.
    package static func shown(_ name: String) -> String {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            "-_.".unicodeScalars.contains(scalar) || scalar.properties.isAlphabetic
                || scalar.properties.numericType != nil
        }
        return isPlain && !name.isEmpty ? name : name.quoted
    }
}

extension Defaults.UnknownNamesError: CustomStringConvertible {
    /// A line for each name.
    public var description: String {
        names.map(\.description).joined(separator: "\n")
    }
}

extension Defaults.UnknownNames {
    /// Reports names that no key has, or throws them.
    ///
    /// - Parameter find: Finds the names; not called if they are ignored.
    package func apply(
        to find: () -> [Defaults.UnknownName]
    ) throws(Defaults.UnknownNamesError) {
        switch self {
        case .areIgnored: break
        case .areReported: Defaults.UnknownName.report(find())
        case .strict:
            let names = find()
            if !names.isEmpty { throw Defaults.UnknownNamesError(names: names) }
        }
    }
}

extension Defaults.UnknownName {
    /// Reports names, each as a problem.
    package static func report(_ names: [Defaults.UnknownName]) {
        for name in names { Defaults.Problem.unknownName(name).report() }
    }
}
