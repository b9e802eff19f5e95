/// The names that keys have outside of a program, and the keys that such names stand for.
///
/// One name can stand for several keys. Keys that are known come first: no other key has one of their names.
struct OutsideNames: Sendable {
    private let known: TextDictionary<[String]>
    private let entries: Set<UTF8Text>
    private let nameOfKey: @Sendable (String) -> String
    private let keyOfName: @Sendable (String) -> String?

    /// Makes the names.
    ///
    /// - Parameters:
    ///   - entries: The names of the entries of known keys.
    ///   - nameOfKey: The rule that gives a key its name.
    ///   - keyOfName: The key that a name stands for if no known key has it; `nil` for none.
    init(
        of entries: [String],
        nameOfKey: @escaping @Sendable (String) -> String,
        keyOfName: @escaping @Sendable (String) -> String?
    ) {
        var known: TextDictionary<[String]> = [:]
        self.entries = Set(entries)
        for entry in self.entries.sortedTexts() {
            known[nameOfKey(entry), default: []].append(entry)
        }
        self.known = known
        self.nameOfKey = nameOfKey
        self.keyOfName = keyOfName
    }

    /// Whether no key is known.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether a value of a key is the value of a known key, or one of the members of its dictionary.
    func isRead(_ key: String) -> Bool {
        entries.contains(key) || key.outerKeys.contains { entries.contains($0) }
    }

    /// Whether a key is known that has the name.
    func isKnown(_ name: String) -> Bool { known[name] != nil }

    /// The names of the known keys, ordered by their UTF-8.
    var knownNames: [String] { known.sortedKeys }

    /// The keys that a name stands for.
    func keys(of name: String) -> [String] {
        known[name] ?? keyOfName(name).map { [$0] } ?? []
    }

    /// The name of a key; `nil` if it stands for other keys only.
    func name(of key: String) -> String? {
        let name = nameOfKey(key)
        return keys(of: name).contains(where: key.hasSameUTF8) ? name : nil
    }
}

/// Values that keys were given from outside of the program, each with the names under which they were given.
package struct GivenValues: Sendable, Hashable {
    /// Values and the names that gave them.
    private struct Part: Sendable, Hashable {
        var values = PropertyListTable()
        var names: TextDictionary<[String]> = [:]
    }

    private var entries = Part()
    /// The dictionaries that entries with dots in their names make, one for each level above them.
    private var collected = Part()
    /// The names in `collected`, because a list of many thousands must not be searched for each of them.
    private var collectedNames: TextDictionary<Set<UTF8Text>> = [:]

    /// The values by key; a key that was given a value itself has that one, and not the parts that were given of it.
    package var values: PropertyListTable { entries.values.overlaid(on: collected.values) }

    /// The names by key, with those of all parts for a dictionary that was given in parts.
    package var names: TextDictionary<[String]> { entries.names.merging(collected.names) { entry, _ in entry } }

    /// Makes values of no key.
    package init() {}

    /// Gives a key a value; of several for one key the last one counts.
    mutating func set(_ value: PropertyListValue, forKey key: String, as name: String) {
        entries.values[key] = value
        entries.names[key] = [name]
    }

    /// Gives a key a value, and to each key that is a level above it in its name a dictionary in which that value is.
    package mutating func setNested(_ value: PropertyListValue, forKey key: String, as name: String) {
        set(value, forKey: key, as: name)
        let (levels, outerKeys) = (key.levels.map(String.init), key.outerKeys)
        for (depth, outer) in zip(1..., outerKeys) {
            // Taken out of the table, so that the change does not copy all members.
            var dictionary = collected.values[outer] ?? [:]
            collected.values[outer] = nil
            dictionary.set(value, at: levels[depth...])
            collected.values[outer] = dictionary
            if collectedNames[outer, default: []].insert(name) {
                collected.names[outer, default: []].append(name)
            }
        }
    }
}

extension PropertyListValue {
    /// Sets a value at a path of members; a value of another kind on the way stays as it is.
    fileprivate mutating func set(_ value: PropertyListValue, at path: ArraySlice<String>) {
        guard let member = path.first else { return self = value }
        guard case .dictionary(var members) = self else { return }
        // The members have one owner now, and are changed in place.
        self = .boolean(false)
        members[member, default: [:]].set(value, at: path.dropFirst())
        self = .dictionary(members)
    }
}

extension String {
    /// The parts between the dots of a key's name.
    ///
    /// By scalars: a dot and a combining character behind it are one `Character`, and still a dot and another character.
    var levels: [Substring] {
        unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The keys whose dictionaries have a value of this key in them, the outermost first: `a` and `a.b` for `a.b.c`.
    ///
    /// There are none if a level is empty, or if there are more levels than a store can hold.
    var outerKeys: [String] {
        let levels = levels.map(String.init)
        guard levels.count <= PropertyListValue.maximumNesting, !levels.contains("") else { return [] }
        return levels.indices.dropFirst().map { levels[..<$0].joined(separator: ".") }
    }
}

/// A key's name as words in levels: `server.maxCount` is `server` and, one level down, `max` and `count`.
///
/// A level ends at a dot. A word ends at each character that is neither a letter nor a digit, before a capital letter that
/// follows a small one or a digit, and before the last of several capital letters if a small one follows it: `maxURLLength`
/// is `max`, `url`, `length`.
struct KeyWords {
    /// The words of each level, in small letters.
    let levels: [[String]]

    init(of key: String) {
        levels = key.levels.map(Self.words)
    }

    private static func words(of level: Substring) -> [String] {
        let characters = Array(level)
        var words: [String] = []
        var start: Int?
        for (index, character) in characters.enumerated() {
            guard character.isLetter || character.isNumber else {
                if let start { words.append(String(characters[start..<index])) }
                start = nil
                continue
            }
            if let first = start, endsWord(before: index, in: characters) {
                words.append(String(characters[first..<index]))
                start = index
            }
            start = start ?? index
        }
        if let start { words.append(String(characters[start...])) }
        return words.map { $0.lowercased() }
    }

    private static func endsWord(before index: Int, in characters: [Character]) -> Bool {
        guard characters[index].isUppercase else { return false }
        if !characters[index - 1].isUppercase { return true }
        return index + 1 < characters.count && characters[index + 1].isLowercase
    }
}

/// How the names of a program's keys are spelled, where a name of several words has to be made of one in another form.
///
/// An environment variable `LAUNCH_COUNT` and an argument `--launch-count` have words, and no key of that name; the spelling
/// says which key they stand for.
public enum KeySpelling: Sendable, Hashable {
    /// `launchCount`.
    case camelCase
    /// `launch_count`.
    case snakeCase
    /// `launch-count`.
    case kebabCase

    /// Joins words; a digit never loses the separator before it, which could not be found again.
    func join(_ words: [Substring]) -> String {
        switch self {
        case .camelCase:
            words.reduce(into: "") { name, word in
                guard !name.isEmpty, let first = word.first else { return name += word }
                name += first.isNumber ? "_" + word : first.uppercased() + word.dropFirst()
            }
        case .snakeCase: words.joined(separator: "_")
        case .kebabCase: words.joined(separator: "-")
        }
    }
}
