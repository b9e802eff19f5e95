extension Defaults.SettingsDescription {
    /// The names of the columns.
    static var titles: [String] { ["Name", "Type", "Default", "Value", "Source", "Rules", "Summary"] }

    static func onOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

extension Defaults.SettingsDescription: CustomStringConvertible {
    /// The table as text with aligned columns, for terminals and logs, ending in a line feed.
    public var description: String {
        let cells = [Self.titles] + rows.map { row in row.cells.map(Self.onOneLine) }
        let widths = Self.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { line in
            let padded = zip(line, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            // Trims the padding of the last column.
            let joined = padded.joined(separator: "  ")
            return String(joined.prefix(joined.count - joined.reversed().prefix { $0 == " " }.count)) + "\n"
        }.joined()
    }
}

extension Defaults.SettingsDescription.Row {
    /// The texts of the columns.
    var cells: [String] {
        [
            name, type, defaultValue.description, value.description, provenance?.description ?? "default",
            requirements.joined(separator: ", "), summary ?? "",
        ]
    }
}

extension Defaults.SettingsDescription {
    /// The table in GitHub's Markdown, ending in a line feed.
    ///
    /// - SeeAlso: [GitHub Flavored Markdown, tables](https://github.github.com/gfm/#tables-extension-).
    public var markdown: String {
        let lines = [Self.titles, Self.titles.map { _ in "---" }] + rows.map(\.markdownCells)
        return lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}

extension Defaults.SettingsDescription.Row {
    fileprivate var markdownCells: [String] {
        let (code, words) = (cells.prefix(4), cells.suffix(3))
        return code.map(Self.codeSpan) + words.map(Self.escaped)
    }

    /// The text as code, between more backticks than it contains in a row.
    ///
    /// A pipe is escaped, as it ends a cell even in code.
    private static func codeSpan(_ text: String) -> String {
        let line = Defaults.SettingsDescription.onOneLine(text)
        let longestRun = line.utf8.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longestRun + 1)
        let padding = longestRun == 0 ? "" : " "
        return fence + padding + backslashed(line) { $0 == "|" } + padding + fence
    }

    /// The text with all characters escaped that have a meaning in Markdown.
    private static func escaped(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            backslashed(line) { "\\`*_<>[]|&~".unicodeScalars.contains($0) }
        }.joined(separator: "<br>")
    }

    /// The text with a backslash before each of some characters.
    ///
    /// It works on scalars: a pipe followed by a combining character is one `Character`, but still a pipe to Markdown.
    private static func backslashed(_ text: some StringProtocol, where isSpecial: (Unicode.Scalar) -> Bool) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if isSpecial(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }
}
