import Keyspan

/// A word that is looked for in keys and values, whatever its case.
struct WordSearch {
    private let word: String

    /// Makes a search.
    init(_ word: String) {
        self.word = word.lowercased()
    }

    /// Whether a key, or anything inside its value, has the word in the text that `read` prints for it.
    func matches(key: String, value: PropertyListValue) -> Bool {
        isIn(key) || matches(value)
    }

    private func matches(_ value: PropertyListValue) -> Bool {
        switch value {
        case .array(let elements): elements.contains { matches($0) }
        case .dictionary(let entries): entries.contains { matches(key: $0.key, value: $0.value) }
        default: isIn(OldStyleWriter.scalarText(of: value))
        }
    }

    private func isIn(_ text: String) -> Bool {
        // By bytes, because characters are joined by what follows them, and are equal to others that are composed differently.
        word.isEmpty || text.lowercased().utf8.contains(word.utf8)
    }
}
