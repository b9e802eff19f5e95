extension Defaults.Description {
    /// The table in the Markdown of GitHub, with a line feed at the end.
    ///
    /// - SeeAlso: [GitHub Flavored Markdown, tables](https://github.github.com/gfm/#tables-extension-).
    public var markdown: String {
        let lines = [Self.titles, Self.titles.map { _ in "---" }] + rows.map(\.markdownCells)
        return lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}

extension Defaults.Description.Row {
    fileprivate var markdownCells: [String] {
        let (code, words) = (cells.prefix(4), cells.suffix(3))
        return code.map(Self.codeSpan) + words.map(Self.escaped)
    }

    /// The text as code, between more backticks than it has in a row; a pipe would end the cell even there.
    private static func codeSpan(_ text: String) -> String {
        let line = Defaults.Description.onOneLine(text)
        let longestRun = line.utf8.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longestRun + 1)
        let padding = longestRun == 0 ? "" : " "
        return fence + padding + backslashed(line) { $0 == "|" } + padding + fence
    }

    /// The text with nothing in it that Markdown takes for more than text.
    private static func escaped(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            backslashed(line) { "\\`*_<>[]|&~".unicodeScalars.contains($0) }
        }.joined(separator: "<br>")
    }

    /// The text with a backslash before each of some characters.
    ///
    /// By scalars: a pipe with a combining character behind it is one `Character`, and to Markdown still a pipe.
    private static func backslashed(_ text: some StringProtocol, where isSpecial: (Unicode.Scalar) -> Bool) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if isSpecial(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }
}
