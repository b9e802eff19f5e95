#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The names of the members of the outermost object in JSON text, in their order, each as often as it is there.
///
/// `JSONDecoder` answers with a dictionary, in which names that are equal to `String` are one.
struct JSONNames {
    /// The names; none if the text is no object.
    let names: [String]

    /// Finds the names in a text that a decoder has accepted.
    init(_ text: Data) {
        var names: [String] = []
        var (depth, isAtName) = (0, false)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "\""):
                let start = index
                index = Self.end(ofString: start, in: text)
                if depth == 1, isAtName, let name = try? JSONDecoder().decode(String.self, from: text[start..<index]) {
                    names.append(name)
                    isAtName = false
                }
                continue
            case UInt8(ascii: "{"):
                depth += 1
                isAtName = depth == 1
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): isAtName = depth == 1
            default: break
            }
            index += 1
        }
        self.names = names
    }

    /// The place behind the quotation mark that ends a string.
    private static func end(ofString start: Data.Index, in text: Data) -> Data.Index {
        var index = start + 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.endIndex)
    }
}
