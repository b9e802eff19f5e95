/// The names that keys have outside of a program, and the keys that such names stand for.
///
/// One name can stand for several keys. Keys that are known come first: no other key has one of their names.
struct OutsideNames: Sendable {
    private let known: TextDictionary<[String]>
    private let nameOfKey: @Sendable (String) -> String
    private let keyOfName: @Sendable (String) -> String?

    /// Makes the names.
    ///
    /// - Parameters:
    ///   - keys: Keys that are known.
    ///   - nameOfKey: The rule that gives a key its name.
    ///   - keyOfName: The key that a name stands for if no known key has it; `nil` for none.
    init(
        of keys: [Defaults.AnyKey],
        nameOfKey: @escaping @Sendable (String) -> String,
        keyOfName: @escaping @Sendable (String) -> String?
    ) {
        var known: TextDictionary<[String]> = [:]
        for entry in Set<UTF8Text>(keys.flatMap { $0.untyped.entryNames }).sortedTexts() {
            known[nameOfKey(entry), default: []].append(entry)
        }
        self.known = known
        self.nameOfKey = nameOfKey
        self.keyOfName = keyOfName
    }

    /// Whether a key is known that has the name.
    func isKnown(_ name: String) -> Bool { known[name] != nil }

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
