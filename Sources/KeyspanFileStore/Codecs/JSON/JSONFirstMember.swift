@_spi(StoreAuthors) import KeyspanCore

/// Finds the member whose name a later member of the same object in a JSON text repeats.
///
/// It reads the text again, once an error was found: readers keep no offsets of the members that they have read.
struct JSONFirstMember {
    private struct Level {
        let isObject: Bool
        /// The place of the object or array among all of them.
        let number: Int
        var isBeforeName: Bool
    }

    private struct Member {
        let name: String
        /// The number of the object.
        let object: Int
        let offset: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var levels: [Level] = []
    private var number = 0
    private var members: [Member] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The offset of the first member.
    ///
    /// - Parameters:
    ///   - offset: The offset of the later name's quotation mark, before which the text is JSON.
    ///   - bytes: The text.
    /// - Returns: `nil` if no earlier member has the name.
    static func offset(ofNameRepeatedAt offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var search = Self(bytes)
        return search.first(repeatedAt: offset)
    }

    private mutating func first(repeatedAt offset: Int) -> Int? {
        while position < bytes.count, position <= offset {
            switch bytes[position] {
            case ASCII.quote:
                let name = readString()
                guard let member = beginMember(named: name.text, at: name.start) else { continue }
                guard name.start < offset else {
                    return members.first { $0.object == member.object && $0.name.hasSameUTF8(as: member.name) }?.offset
                }
                members.append(member)
            case ASCII.slash: skipComment()
            case let byte:
                position += 1
                readPunctuation(byte)
            }
        }
        return nil
    }

    private mutating func readPunctuation(_ byte: UInt8) {
        switch byte {
        case ASCII.openBrace, ASCII.openBracket:
            let isObject = byte == ASCII.openBrace
            number += 1
            levels.append(Level(isObject: isObject, number: number, isBeforeName: isObject))
        case ASCII.closeBrace, ASCII.closeBracket: _ = levels.popLast()
        case ASCII.comma:
            if let last = levels.indices.last { levels[last].isBeforeName = levels[last].isObject }
        default: break
        }
    }

    /// The member that begins here; `nil` if the string is a value.
    private mutating func beginMember(named name: String, at start: Int) -> Member? {
        guard let last = levels.indices.last, levels[last].isBeforeName else { return nil }
        levels[last].isBeforeName = false
        return Member(name: name, object: levels[last].number, offset: start)
    }

    private mutating func readString() -> (text: String, start: Int) {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != ASCII.quote {
            position += bytes[position] == ASCII.backslash ? 2 : 1
        }
        position = min(position + 1, bytes.count)
        guard case .string(let text)? = try? JSONText.parse(Array(bytes[start..<position])) else { return ("", start) }
        return (text, start)
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
