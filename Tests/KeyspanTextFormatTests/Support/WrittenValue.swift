import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting

/// A value as a person may write it in each format.
indirect enum WrittenValue {
    typealias Member = (name: String, value: WrittenValue)

    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case array([WrittenValue])
    case object([Member])

    // MARK: - Random values

    private static let names = [
        "port", "tls", "client", "headers", "list", "a b", "ü", "true", "1", "tls.port", "x-y", "", "$date",
    ]
    private static let texts = [
        "", "no", "true", "1", "a: b", "# c", "ü", "it's", "a\"b\\", "line\nbreak", "\ttab", "~", "[a",
        "2026-11-21T10:50:00Z", "e\u{301}",
    ]
    private static let integers: [Int64] = [0, 1, -1, 443, .max, .min]
    private static let reals = [
        0.0, -0.0, 1, 0.1, 1e300, -Double.leastNonzeroMagnitude, 1.7976931348623157e308, 123456.789,
    ]

    static func randomMembers(levels: Int, using generator: inout SeededGenerator) -> [Member] {
        let count = Int.random(in: 0...5, using: &generator)
        return names.shuffled(using: &generator).prefix(count).map { ($0, random(levels: levels, using: &generator)) }
    }

    private static func random(levels: Int, using generator: inout SeededGenerator) -> WrittenValue {
        switch Int.random(in: 0..<(levels > 0 ? 40 : 25), using: &generator) {
        case 0: .null
        case 1..<5: .boolean(Bool.random(using: &generator))
        case 5..<10: .integer(integers.randomElement(using: &generator) ?? 0)
        case 10..<15: .real(reals.randomElement(using: &generator) ?? 0)
        case 15..<25: .text(texts.randomElement(using: &generator) ?? "")
        case 25..<30:
            .array(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in random(levels: levels - 1, using: &generator)
                }
                .filter { if case .null = $0 { false } else { true } }
            )
        default: .object(randomMembers(levels: levels - 1, using: &generator))
        }
    }

    // MARK: - JSON

    var json: String {
        switch self {
        case .null: "null"
        case .boolean(let boolean): "\(boolean)"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): Self.quoted(text)
        case .array(let elements): "[\(elements.map(\.json).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.name)): \($0.value.json)" }.joined(separator: ", "))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONText.encodeUnchecked(.string(text)), as: UTF8.self).trimmingSuffix { $0 == "\n" }
    }

    // MARK: - YAML

    static func yaml(of members: [Member], using generator: inout SeededGenerator) -> String {
        members.isEmpty ? "{}\n" : String(block(members, indentation: 0, using: &generator).dropFirst())
    }

    private static func block(_ members: [Member], indentation: Int, using generator: inout SeededGenerator) -> String {
        var text = ""
        for (name, value) in members {
            text += "\n" + String(repeating: " ", count: indentation) + yamlName(name, using: &generator) + ":"
            text += value.yamlBehindName(indentation: indentation, using: &generator)
        }
        return text
    }

    private func yamlBehindName(indentation: Int, using generator: inout SeededGenerator) -> String {
        let isBlock = Bool.random(using: &generator)
        switch self {
        case .object(let members) where isBlock && !members.isEmpty:
            return Self.block(members, indentation: indentation + 2, using: &generator)
        case .array(let elements) where isBlock && !elements.isEmpty:
            var text = ""
            for element in elements {
                text += "\n" + String(repeating: " ", count: indentation) + "- " + element.yamlFlow(using: &generator)
            }
            return text
        default: return " " + yamlFlow(using: &generator)
        }
    }

    private func yamlFlow(using generator: inout SeededGenerator) -> String {
        switch self {
        case .null: return ["null", "~", "Null"].randomElement(using: &generator) ?? "~"
        case .boolean(let boolean):
            let text = "\(boolean)"
            return [text, text.uppercased(), text.capitalized].randomElement(using: &generator) ?? text
        case .integer(let integer): return integer > 0 && Bool.random(using: &generator) ? "+\(integer)" : "\(integer)"
        case .real, .text: return yamlScalar(using: &generator)
        case .array(let elements):
            return "[" + elements.map { $0.yamlFlow(using: &generator) }.joined(separator: ", ") + "]"
        case .object(let members):
            return "{"
                + members.map {
                    Self.yamlName($0.name, using: &generator) + ": " + $0.value.yamlFlow(using: &generator)
                }
                .joined(separator: ", ") + "}"
        }
    }

    private func yamlScalar(using generator: inout SeededGenerator) -> String {
        guard case .text(let text) = self else { return json }
        switch Int.random(in: 0..<3, using: &generator) {
        case 0 where !text.isEmpty && !text.utf8.contains { $0 < 0x20 }:
            return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
        case 1 where ["no", "2026-11-21T10:50:00Z", "ü"].contains(text): return text
        case 1: return "!!str \(Self.quoted(text))"
        default: return Self.quoted(text)
        }
    }

    private static func yamlName(_ name: String, using generator: inout SeededGenerator) -> String {
        ["true", "1", ""].contains(name) || Bool.random(using: &generator) ? quoted(name) : name
    }

    // MARK: - TOML

    static func toml(of members: [Member], using generator: inout SeededGenerator) -> String {
        var (text, tables) = ("", "")
        for (name, value) in members {
            if case .null = value { continue }
            if case .object(let inner) = value, Bool.random(using: &generator) {
                tables += "[\(tomlName(name))]\n"
                for (name, value) in inner where !value.isNull { tables += "\(tomlName(name)) = \(value.toml)\n" }
            } else if case .object(let inner) = value, inner.contains(where: { !$0.value.isNull }),
                Bool.random(using: &generator)
            {
                for (inner, value) in inner where !value.isNull {
                    text += "\(tomlName(name)) . \(tomlName(inner)) = \(value.toml)\n"
                }
            } else {
                text += "\(tomlName(name)) = \(value.toml) # a comment\n"
            }
        }
        return text + tables
    }

    private var isNull: Bool { if case .null = self { true } else { false } }

    private var toml: String {
        switch self {
        case .array(let elements): "[\(elements.map(\.toml).joined(separator: ",\n  "))]"
        case .object(let members):
            "{\(members.filter { !$0.value.isNull }.map { "\(Self.tomlName($0.name)) = \($0.value.toml)" }.joined(separator: ", "))}"
        case .real(let real): "\(real)"
        default: json
        }
    }

    private static func tomlName(_ name: String) -> String {
        let isBare =
            !name.isEmpty
            && name.utf8.allSatisfy {
                $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
            }
        return isBare ? name : quoted(name)
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var rest = self[...]
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return String(rest)
    }
}
