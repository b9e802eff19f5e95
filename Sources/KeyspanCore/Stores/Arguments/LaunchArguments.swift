/// The settings in a program's launch arguments: `-port 8080 -verbose YES -servers '(a, b)'`.
///
/// They are read as `NSArgumentDomain` reads them on Linux (swift-corelibs-foundation, `UserDefaults.swift`): an argument
/// that begins with `-` is a key if another argument follows that does not, and that one is its value. Space around the
/// value is removed; of several values of one key the last one counts; all else is left to the program. `--port 8080`
/// gives a value to the key `-port`.
///
/// A value that begins with `{`, `(`, `<` or `"` is read as an old-style property list: `'(a, "b c")'` is an array,
/// `'{cpu = 2;}'` a dictionary, `'<0fbd>'` data. The numbers in one are text. A value that is no such list, or has more
/// levels of collections than a store can hold, stays the text that it is.
///
/// Two things differ. A decimal number may follow though it begins with `-`, as in `-offset -5`, which the platform
/// ignores. And XML property lists, which the platform reads, stay text.
public struct LaunchArguments: Sendable, Hashable {
    /// The values by key: text, and what was written as a property list.
    public let values: PropertyListTable

    /// Reads arguments; the name of the program may be among them.
    public init(_ arguments: [String]) {
        var values = PropertyListTable()
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard name.hasPrefix("-"), let text = rest.first, Self.isValue(text) else { continue }
            rest.removeFirst()
            let key = String(name.dropFirst())
            guard !key.isEmpty else { continue }
            values[key] = Self.value(of: Self.trimmed(text))
        }
        self.values = values
    }

    private static func value(of text: String) -> PropertyListValue {
        guard let first = text.first, "{(<\"".contains(first) else { return .string(text) }
        // Text that only begins like a list is a value as well.
        return (try? OldStyleReader.parse(text)) ?? .string(text)
    }

    private static func isValue(_ text: String) -> Bool {
        !text.hasPrefix("-") || NumeralText(text) != nil
    }

    private static func trimmed(_ text: String) -> String {
        guard
            let start = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[start...last])
    }
}
