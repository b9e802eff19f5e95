extension Defaults.Description {
    /// The table as text with aligned columns, for terminals and logs, with a line feed at the end.
    public var text: String {
        let cells = [Self.titles] + rows.map { row in row.cells.map(Self.onOneLine) }
        let widths = Self.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { line in
            let padded = zip(line, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            // The last column ends with its text.
            let joined = padded.joined(separator: "  ")
            return String(joined.prefix(joined.count - joined.reversed().prefix { $0 == " " }.count)) + "\n"
        }.joined()
    }

    /// The names of the columns.
    static var titles: [String] { ["Name", "Type", "Default", "Value", "Source", "Rules", "Summary"] }

    static func onOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

extension Defaults.Description: CustomStringConvertible {
    /// The table as ``text``.
    public var description: String { text }
}

extension Defaults.Description.Row {
    /// The texts of the columns.
    var cells: [String] {
        [
            name, type, defaultValue.description, value.description, provenance?.description ?? "default",
            requirements.joined(separator: ", "), summary ?? "",
        ]
    }
}
