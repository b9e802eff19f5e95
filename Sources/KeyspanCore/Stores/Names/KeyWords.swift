extension String {
    /// The parts between the dots of a key's name.
    ///
    /// By scalars: a dot and a combining character behind it are one `Character`, and still a dot and another character.
    var levels: [Substring] {
        unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { Substring($0) }
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
