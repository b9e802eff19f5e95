package import KeyspanTesting

/// Texts in which a character that some format uses stands beside one that changes how texts are taken apart or compared.
package enum HostileTexts {
    /// Characters that JSON, property lists, arguments, paths, URLs or the names of keys give a meaning to.
    static let formatCharacters = Array("\"\\$<>&;./@='`,:{}[]()#%+-_~*|!?^01eEntu \n\r\t\0K".unicodeScalars)

    /// One scalar of each class, or a few where they differ.
    static let classes: [Unicode.Scalar] =
        ([
            0x301, 0x30A, 0x345,  // combining marks
            0x600, 0x110BD,  // prepended to what follows
            0x200D, 0x200C,  // joiners
            0xFE0F, 0xE0100,  // variation selectors
            0x202E, 0x200F, 0x5D0,  // from right to left
            0x1100, 0x1161, 0xAC00,  // parts of syllables, and a whole one
            0x1F1E6, 0x1F3FB, 0x1F600,  // regional indicators, modifiers and others beyond 16 bits
            0x10000, 0xD7FF, 0xE000,  // at the bounds of surrogates
            0xFFFE, 0xFFFF, 0xFDD0, 0x10FFFF,  // noncharacters
            0x1, 0x7F, 0x85, 0x0,  // control characters
            0xFEFF, 0x2028, 0xA0, 0xAD,  // a byte-order mark, a line end, a space and a hyphen
            0x212A, 0x37E, 0x1FEF, 0xE9, 0x131,  // equal to, or in another case, ASCII
        ] as [UInt32]).compactMap(Unicode.Scalar.init)

    /// Each class before, after and around each of the characters, and each alone.
    package static let all: [String] = {
        var texts: [String] = [""]
        for character in formatCharacters {
            texts.append(text([character]))
            for scalar in classes {
                texts += [text([scalar, character]), text([character, scalar]), text([scalar, character, scalar])]
            }
        }
        return texts + classes.map { text([$0]) }
    }()

    /// One of these texts, often with another one behind it.
    package static func random(using generator: inout SeededGenerator) -> String {
        let text = all.randomElement(using: &generator) ?? ""
        return switch Int.random(in: 0..<4, using: &generator) {
        case 0: text + (all.randomElement(using: &generator) ?? "")
        case 1: "a" + text + "b"
        default: text
        }
    }

    /// A text that can be the name of a key.
    package static func name(using generator: inout SeededGenerator) -> String {
        let name = withoutNull(random(using: &generator))
        return name.isEmpty ? "key" : name
    }

    /// A text without the character that no name and no path can have.
    package static func withoutNull(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\0" }))
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }
}
