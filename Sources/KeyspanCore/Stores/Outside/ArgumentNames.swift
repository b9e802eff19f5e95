/// The arguments of keys, by the rules of ``LaunchArgumentsStore`` for arguments with two hyphens.
package struct ArgumentNames: Sendable {
    private let flags: OutsideNames

    /// Makes the names of the arguments of keys.
    ///
    /// - Parameters:
    ///   - entries: The names of the entries of known keys.
    ///   - spelling: How other keys are spelled.
    package init(entries: [String], spelling: KeySpelling) {
        flags = OutsideNames(of: entries, nameOfKey: Self.flag) { Self.key(ofFlag: $0, spelling: spelling) }
    }

    /// An argument with two hyphens.
    struct Option {
        /// The argument without its value, such as `--no-color`.
        let name: String
        /// The keys that it gives a value.
        let keys: [String]
        /// The value.
        let value: PropertyListValue
        /// Whether there is a value behind `=`.
        let hasValue: Bool
    }

    /// Reads an argument with two hyphens.
    func option(_ argument: OutsideText) -> Option {
        let bytes = argument.bytes.dropFirst(2)
        let parts = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = OutsideText(parts[0])
        let hasValue = parts.count == 2
        guard var flag = name.text else {
            return Option(name: "--" + name.repaired, keys: [], value: true, hasValue: hasValue)
        }
        var value = PropertyListValue.boolean(true)
        if hasValue {
            value = OutsideText(parts[1]).value
        } else if flag.hasUTF8Prefix(Self.negation), !flags.isKnown(flag) {
            flag = String(flag.unicodeScalars.dropFirst(Self.negation.count))
            value = .boolean(false)
        }
        return Option(
            name: "--" + name.repaired,
            keys: flag.isEmpty ? [] : flags.keys(of: flag),
            value: value,
            hasValue: hasValue
        )
    }

    /// The argument of a key, such as `--server.port`; `nil` if there is none, or if it stands for other keys only.
    package func argument(ofKey key: String) -> String? {
        guard let flag = flags.name(of: key), !flag.isEmpty else { return nil }
        return "--" + flag
    }

    /// Whether `--no-` before the name of a key makes it false.
    package func hasNegation(forKey key: String) -> Bool { !flags.isKnown(Self.negation + Self.flag(ofKey: key)) }

    /// The arguments with two hyphens that give no value to a known key, each once.
    ///
    /// - Parameters:
    ///   - arguments: All arguments; those behind `--` are not settings.
    ///   - alsoKnown: Arguments that the program reads itself, with their hyphens and without values.
    ///   - store: The name of the store.
    /// - Returns: None if no key is known.
    package func unknown(
        among arguments: [OutsideText],
        alsoKnown: [String],
        store: String
    ) -> [Defaults.UnknownName] {
        if flags.isEmpty { return [] }
        var seen = Set<UTF8Text>(alsoKnown)
        var unknown: [(name: String, suggestion: String?)] = []
        let candidates = flags.knownNames + alsoKnown.filter { $0.hasUTF8Prefix("--") }.map { String($0.dropFirst(2)) }
        for argument in arguments.prefix(while: { $0 != OutsideText("--") }) where argument.hasPrefix("--") {
            let option = option(argument)
            guard seen.insert(option.name), !option.keys.contains(where: flags.isRead) else { continue }
            let isLong = unknown.count >= NearestName.mostSuggestions
            unknown.append((Self.reportable(option.name), isLong ? nil : Self.nearest(to: option, among: candidates)))
        }
        return unknown.map { name, suggestion in
            let isGroup = suggestion?.hasUTF8Prefix(name + ".") == true
            return Defaults.UnknownName(
                name,
                .argument,
                source: Provenance([.init(store: store, detail: Defaults.UnknownName.shown(name))]),
                suggestion: isGroup ? nil : suggestion,
                memberOfGroup: isGroup ? suggestion : nil
            )
        }
    }

    /// The most characters of a name that are reported.
    private static let longestName = 128

    /// The beginning of a name, up to a character that only a value has.
    ///
    /// A value behind a space in place of `=` can begin with hyphens, as a private key in PEM does, and must not be in a log.
    private static func reportable(_ name: String) -> String {
        let part = name.unicodeScalars.prefix(longestName).prefix { !$0.properties.isWhitespace }
        return part.endIndex == name.endIndex ? name : String(part) + "…"
    }

    private static func nearest(to option: Option, among candidates: [String]) -> String? {
        let flag = String(option.name.unicodeScalars.dropFirst(2))
        let group = flag + "."
        if let member = candidates.first(where: { $0.hasUTF8Prefix(group) }) { return "--" + member }
        if let nearest = NearestName.of(flag, among: candidates) { return "--" + nearest }
        guard option.value == .boolean(false) else { return nil }
        let opposite = String(flag.unicodeScalars.dropFirst(negation.count))
        return NearestName.of(opposite, among: candidates).map { "--" + negation + $0 }
    }

    /// The beginning of a flag that stands for the opposite of another one.
    private static let negation = "no-"

    private static func flag(ofKey key: String) -> String {
        KeyWords(of: key).levels.map { $0.joined(separator: "-") }.joined(separator: ".")
    }

    private static func key(ofFlag flag: String, spelling: KeySpelling) -> String {
        flag.levels.map { level in
            let words = level.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false)
                .map { Substring($0) }
            // A hyphen at the end or beside another one separates no words.
            return words.contains("") ? String(level) : spelling.join(words)
        }.joined(separator: ".")
    }
}
