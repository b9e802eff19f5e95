@_spi(StoreAuthors) import KeyspanCore

/// Finds the member whose name a later member of the same object in a JSON text repeats.
///
/// It reads the text again, once an error was found: readers keep no offsets of the members that they have read. It keeps none either,
/// so that it needs no memory for the members of a long text.
struct JSONFirstMember {
    private struct Level {
        /// The offset of the opening bracket.
        let start: Int
        let isObject: Bool
        var isBeforeName: Bool
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int
    /// The objects and arrays around the position, outermost first.
    private var levels: [Level] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The offset of the first member.
    ///
    /// - Parameters:
    ///   - offset: The offset of the later name's quotation mark, before which the text is JSON.
    ///   - bytes: The text.
    /// - Returns: `nil` if no earlier member has the name.
    static func offset(ofNameRepeatedAt offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var all = Self(bytes)
        var name = all.nextName()
        while let start = name?.lowerBound, start < offset { name = all.nextName() }
        guard let name, let object = all.levels.last else { return nil }
        let text = all.text(of: name)
        var members = Self(bytes, from: object.start)
        while let member = members.nextName(), member.lowerBound < offset {
            if members.levels.count == 1, members.text(of: member).hasSameUTF8(as: text) { return member.lowerBound }
        }
        return nil
    }

    /// Moves behind the next name of a member.
    ///
    /// - Returns: The place of the name with its quotation marks; `nil` at the end of the text.
    private mutating func nextName() -> Range<Int>? {
        while position < bytes.count {
            switch bytes[position] {
            case ASCII.quote:
                let start = position
                skipString()
                guard let last = levels.indices.last, levels[last].isBeforeName else { continue }
                levels[last].isBeforeName = false
                return start..<position
            case ASCII.slash: skipComment()
            default: readPunctuation()
            }
        }
        return nil
    }

    private mutating func readPunctuation() {
        switch bytes[position] {
        case ASCII.openBrace: levels.append(Level(start: position, isObject: true, isBeforeName: true))
        case ASCII.openBracket: levels.append(Level(start: position, isObject: false, isBeforeName: false))
        case ASCII.closeBrace, ASCII.closeBracket: _ = levels.popLast()
        case ASCII.comma:
            if let last = levels.indices.last { levels[last].isBeforeName = levels[last].isObject }
        default: break
        }
        position += 1
    }

    private func text(of name: Range<Int>) -> String {
        let inner = (name.lowerBound + 1)..<(name.upperBound - 1)
        return bytes.text(ofName: inner, hasEscapes: bytes[inner].contains(ASCII.backslash))
    }

    private mutating func skipString() {
        position += 1
        while position < bytes.count, bytes[position] != ASCII.quote {
            position += bytes[position] == ASCII.backslash ? 2 : 1
        }
        position = min(position + 1, bytes.count)
    }

    private mutating func skipComment() {
        let isLine = position + 1 < bytes.count && bytes[position + 1] == ASCII.slash
        position += 2
        let start = position
        while position < bytes.count {
            position += 1
            if isLine, bytes[position - 1] == ASCII.lineFeed { break }
            // The asterisk of the beginning does not also end a comment.
            if !isLine, position - start >= 2, bytes[position - 2] == ASCII.asterisk, bytes[position - 1] == ASCII.slash
            {
                break
            }
        }
    }
}
