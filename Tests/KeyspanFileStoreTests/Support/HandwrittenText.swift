import Foundation
import KeyspanCore
import KeyspanTesting

/// A JSON object, cut into the pieces that an edit must leave as they are.
///
/// The tokenizer is independent of the one of the store, and expects a valid text.
struct HandwrittenText {
    /// A name with its value, and the space around both.
    struct Member: Hashable {
        /// The space between the brace or comma and the name.
        var before = ""
        /// The name in quotation marks, perhaps with escapes.
        var name = ""
        /// The colon, with the space around it.
        var colon = ""
        var value = ""
        /// The space between the value and the comma or brace.
        var after = ""

        /// The name without escapes.
        var key: String {
            let names = try? JSONSerialization.jsonObject(with: Data("[\(name)]".utf8)) as? [String]
            return names?.first ?? ""
        }
    }

    /// Everything up to the opening brace.
    var head = ""
    var members: [Member] = []
    /// Everything from the closing brace on; for an object without members, all behind the opening one.
    var tail = ""

    /// The whole text.
    var text: String {
        let texts = members.map { $0.before + $0.name + $0.colon + $0.value + $0.after }
        return head + texts.joined(separator: ",") + tail
    }

    /// The keys in their order, as the UTF-8 that decides about it.
    var keys: [[UInt8]] { members.map { Array($0.key.utf8) } }

    /// Whether the keys are sorted.
    var isSorted: Bool { zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) } }

    /// The members that an independent parser finds, without those that are `null`.
    var parsed: [String: Any]? {
        var bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return object?.filter { !($0.value is NSNull) }
    }

    /// Makes an empty text.
    init() {}

    /// Cuts a text.
    init(_ bytes: [UInt8]) {
        var scanner = Scanner(bytes: bytes)
        head = scanner.take { $0 != UInt8(ascii: "{") } + scanner.takeByte()
        let start = scanner.index
        var member = Member(before: scanner.takeSpace())
        guard scanner.next == UInt8(ascii: "\"") else {
            scanner.index = start
            tail = scanner.take { _ in true }
            return
        }
        while true {
            member.name = scanner.takeValue()
            member.colon = scanner.takeSpace() + scanner.takeByte() + scanner.takeSpace()
            member.value = scanner.takeValue()
            member.after = scanner.takeSpace()
            members.append(member)
            guard scanner.next == UInt8(ascii: ",") else { break }
            _ = scanner.takeByte()
            member = Member(before: scanner.takeSpace())
        }
        tail = scanner.take { _ in true }
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0

        var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func take(while isWanted: (UInt8) -> Bool) -> String {
            let start = index
            while let next, isWanted(next) { index += 1 }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }

        mutating func takeByte() -> String {
            var isFirst = true
            return take { _ in
                defer { isFirst = false }
                return isFirst
            }
        }

        mutating func takeSpace() -> String { take { " \t\r\n".utf8.contains($0) } }

        mutating func takeValue() -> String {
            var (depth, isInString, isEscaped, isDone) = (0, false, false, false)
            return take { byte in
                if isDone { return false }
                if isInString {
                    (isInString, isEscaped) = (
                        isEscaped || byte != UInt8(ascii: "\""), !isEscaped && byte == UInt8(ascii: "\\")
                    )
                    isDone = !isInString && depth == 0
                    return true
                }
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    // The brace of the whole object ends a number.
                    if depth == 0 { return false }
                    depth -= 1
                    isDone = depth == 0
                case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                    return depth > 0
                default: break
                }
                return true
            }
        }
    }
}

/// Writes texts in layouts and spellings that people choose and programs do not.
struct RandomHandwriting {
    var random: SeededGenerator

    static let keys = [
        "a", "b", "zeta", "k1", "k2", "dark mode", "été", "a.b", "q\"uote", "😀", "A", "back\\slash", "~",
    ]

    /// One of some choices, of which there is at least one.
    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    /// Whether something happens that is so rare.
    mutating func happens(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// A value in a spelling of its own.
    mutating func value(levels: Int = 1) -> (text: String, value: PropertyListValue) {
        let number = Int.random(in: 1...99, using: &random)
        let integer = PropertyListValue.integer(PropertyListInteger(number))
        switch Int.random(in: 0..<(levels > 0 ? 9 : 6), using: &random) {
        case 0: return ("\(number).50", .real(Double(number) + 0.5))
        case 1: return (pick(["\(number)e3", "\(number).0E+3", "\(number)0e2"]), .real(Double(number) * 1000))
        case 2: return ("\(number)", integer)
        case 3: return happens(oneIn: 2) ? ("true", true) : ("false", false)
        case 4, 5:
            let text = pick([
                "", "}, {\"", "\\", "a text that does not fit into fifteen bytes: \(number)", "é/\(number)",
            ])
            return (quoted(text), .string(text))
        case 6: return (pick(["[\(number),true]", "[ \(number), true ]", "[\n\(number)\n,true]"]), [integer, true])
        case 7: return (pick(["{\"x\":\(number)}", "{ \"x\" : \(number), \"y\": null }"]), ["x": integer])
        default:
            let (text, value) = value(levels: 0)
            return ("[[], {}, \(text)]", [[], [:], value])
        }
    }

    /// A text in quotation marks, with more escapes than it needs.
    mutating func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            let isSpecial = scalar == "\"" || scalar == "\\"
            if isSpecial || happens(oneIn: 6) {
                for unit in String(scalar).utf16 {
                    result += "\\u" + String(0x1_0000 + Int(unit), radix: 16).dropFirst()
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A whole file.
    mutating func file() -> (text: HandwrittenText, values: [String: PropertyListValue]) {
        var (text, values): (HandwrittenText, [String: PropertyListValue]) = (HandwrittenText(), [:])
        let line = pick(["\n", "\n", "\r\n"])
        let start = line + pick(["  ", "    ", "\t", ""])
        let (colon, style) = (pick([":", ": ", " : ", ":\t"]), Int.random(in: 0..<3, using: &random))
        text.head = pick(["", "", "\u{FEFF}", line]) + "{"
        var keys = Array(
            Self.keys.shuffled(using: &random).prefix(happens(oneIn: 8) ? 0 : Int.random(in: 1...9, using: &random))
        )
        if happens(oneIn: 2) { keys.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        for key in keys {
            var member = HandwrittenText.Member(name: quoted(key), colon: colon)
            member.before = style == 0 ? start : style == 1 ? pick([" ", ""]) : pick([start, line + start, " "])
            let (spelled, value) = value()
            member.value = happens(oneIn: 9) ? "null" : spelled
            if member.value != "null" { values[key] = value }
            text.members.append(member)
        }
        text.tail = (style == 1 ? pick(["", " "]) : line) + "}" + pick(["", line, line + line])
        // The space behind the last value is cut from the end.
        return (HandwrittenText(Array(text.text.utf8)), values)
    }
}
