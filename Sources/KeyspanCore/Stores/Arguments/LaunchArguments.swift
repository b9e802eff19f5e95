/// The settings in a program's launch arguments: `-port 8080 -verbose YES`.
///
/// They are read as `NSArgumentDomain` reads them on Linux (swift-corelibs-foundation, `UserDefaults.swift`): an argument
/// that begins with `-` is a key if another argument follows that does not, and that one is its value. Space around the
/// value is removed; of several values of one key the last one counts; all else is left to the program. `--port 8080`
/// gives a value to the key `-port`.
///
/// One thing differs: a decimal number may follow though it begins with `-`, as in `-offset -5`, which the platform
/// ignores.
public struct LaunchArguments: Sendable, Hashable {
    /// The values by key, as text, but for what `parseCollection` made of a text.
    public let values: PropertyListTable

    /// Reads arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments; the name of the program may be among them.
    ///   - parseCollection: Makes a value of a text that begins like a property list, with `{`, `[`, `(`, `<` or a
    ///     quotation mark; `nil`, which is what it answers if it is not given, leaves it a text.
    public init(_ arguments: [String], parseCollection: (String) -> PropertyListValue? = { _ in nil }) {
        var values = PropertyListTable()
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard name.hasPrefix("-"), let text = rest.first, Self.isValue(text) else { continue }
            rest.removeFirst()
            let key = String(name.dropFirst())
            guard !key.isEmpty else { continue }
            let value = Self.trimmed(text)
            let isCollection = value.first.map("{[(<\"".contains) ?? false
            values[key] = (isCollection ? parseCollection(value) : nil) ?? .string(value)
        }
        self.values = values
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
