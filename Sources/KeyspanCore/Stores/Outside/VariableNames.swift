/// The environment variables of keys, by the rules of ``EnvironmentStore``.
///
/// All stores whose values have such names use it, so a key is found by the same words in each of them.
package struct VariableNames: Sendable {
    /// The beginning of each name.
    package let prefix: String

    private let names: OutsideNames

    /// Makes the names of the variables of keys.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of each name.
    ///   - entries: The names of the entries of known keys.
    ///   - spelling: How other keys are spelled.
    init(prefix: String, entries: [String], spelling: KeySpelling) {
        self.prefix = prefix
        names = OutsideNames(of: entries) { key in
            Self.variable(ofKey: key, prefix: prefix)
        } keyOfName: { variable in
            Self.key(ofVariable: variable, prefix: prefix, spelling: spelling)
        }
    }

    /// The variables of the known keys, ordered by their UTF-8.
    package var known: [String] { names.knownNames }

    /// Whether a known key has the variable.
    package func isKnown(_ variable: String) -> Bool { names.isKnown(variable) }

    /// The variable of a key; `nil` if that stands for other keys only.
    package func variable(ofKey key: String) -> String? { names.name(of: key) }

    /// The keys that a variable stands for.
    package func keys(ofVariable variable: String) -> [String] { names.keys(of: variable) }

    /// The variable with the words of another name, such as that of a file: that of `db-password` is `DB_PASSWORD`.
    ///
    /// A dot ends a level of the name, and so do two underscores.
    package func variable(withWordsOf name: String) -> String {
        let key = name.split(separator: "__", omittingEmptySubsequences: false).joined(separator: ".")
        return Self.variable(ofKey: key, prefix: prefix)
    }

    /// The variables that give no value to a known key.
    ///
    /// - Parameters:
    ///   - variables: The variables of a source; those without the prefix are not settings.
    ///   - alsoKnown: Variables that the program reads itself.
    ///   - source: The place of a variable.
    /// - Returns: None if no key is known.
    package func unknown(
        among variables: [String],
        alsoKnown: [String],
        source: (String) -> Provenance
    ) -> [Defaults.UnknownName] {
        if names.isEmpty { return [] }
        let others = Set<UTF8Text>(alsoKnown)
        let unknown = variables.filter { variable in
            variable.hasUTF8Prefix(prefix) && !others.contains(variable) && !isRead(variable)
        }
        let known = known
        // Without the prefix, whose letters would make any two names similar.
        let candidates = (known + alsoKnown).compactMap { suffix(of: $0) }
        return NearestName.suggestions(for: unknown) { variable in
            let group = variable + "__"
            return known.first { $0.hasUTF8Prefix(group) }
                ?? suffix(of: variable).flatMap { NearestName.of($0, among: candidates) }.map { prefix + $0 }
        }.map { name, suggestion in
            let isGroup = suggestion?.hasUTF8Prefix(name + "__") == true
            return Defaults.UnknownName(
                name,
                .variable,
                source: source(name),
                suggestion: isGroup ? nil : suggestion,
                memberOfGroup: isGroup ? suggestion : nil
            )
        }
    }

    /// Whether a variable gives a value to a known key, or to a dictionary in it.
    private func isRead(_ variable: String) -> Bool { keys(ofVariable: variable).contains(where: names.isRead) }

    /// Whether a known key reads the value of a key: as its own, or as a member of its dictionary.
    package func isRead(key: String) -> Bool { names.isRead(key) }

    /// Whether no key is known.
    package var isEmpty: Bool { names.isEmpty }

    private func suffix(of variable: String) -> String? {
        variable.hasUTF8Prefix(prefix) ? String(Substring(variable.utf8.dropFirst(prefix.utf8.count))) : nil
    }

    /// The values that variables give to keys.
    ///
    /// - Parameter variables: The variables in the order in which they count: of several for one key the last one.
    package func values(of variables: [(key: String, value: OutsideText)]) -> GivenValues {
        var given = GivenValues()
        for (variable, text) in variables {
            for key in keys(ofVariable: variable) {
                given.setNested(text.value, forKey: key, as: variable)
            }
        }
        return given
    }
}

extension VariableNames {
    private static func variable(ofKey key: String, prefix: String) -> String {
        prefix + KeyWords(of: key).levels.map { $0.joined(separator: "_").uppercased() }.joined(separator: "__")
    }

    /// The key of a spelling that has the variable; `nil` if none has.
    private static func key(ofVariable variable: String, prefix: String, spelling: KeySpelling) -> String? {
        guard variable.hasUTF8Prefix(prefix) else { return nil }
        let levels = String(Substring(variable.utf8.dropFirst(prefix.utf8.count))).lowercased().split(
            separator: "__",
            omittingEmptySubsequences: false
        )
        if levels.contains("") { return nil }
        let key = levels.map { level in
            spelling.join(level.split(separator: "_", omittingEmptySubsequences: false))
        }.joined(separator: ".")
        return Self.variable(ofKey: key, prefix: prefix).hasSameUTF8(as: variable) ? key : nil
    }
}
