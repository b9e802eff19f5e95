import Keyspan

/// Rows of text in columns, for people.
struct TextTable {
    /// The headings of the columns.
    let headings: [String]
    /// The rows, each with a text for every column.
    private(set) var rows: [[String]] = []

    /// Makes a table without rows.
    init(_ headings: String...) {
        self.headings = headings
    }

    /// Adds a row.
    mutating func append(_ cells: [String]) {
        rows.append(cells)
    }

    /// The lines: the headings and the rows, with two spaces between columns and none at the end of a line.
    ///
    /// Cells are ASCII, because the names and values of old-style property lists are.
    ///
    /// - Parameter style: The style of the first column below its heading.
    func lines(style: TerminalStyle) -> [String] {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].unicodeScalars.count }.max() ?? 0
        }
        return ([headings] + rows).enumerated().map { number, cells in
            let texts = cells.indices.map { column in
                let text = number > 0 && column == 0 ? style.key(cells[column]) : cells[column]
                let isLast = column == cells.count - 1
                let space = isLast ? 0 : widths[column] - cells[column].unicodeScalars.count
                return text + String(repeating: " ", count: space)
            }
            return texts.joined(separator: "  ")
        }
    }

    /// Writes the lines to standard output.
    func write() throws(ToolError) {
        for line in lines(style: StandardStream.output.style) {
            try StandardStream.output.writeLine(line)
        }
    }
}

extension TextTable {
    /// The columns key, kind and value of some entries, by key.
    init(_ entries: PropertyListDictionary) {
        self.init("KEY", "KIND", "VALUE")
        let writer = OldStyleWriter()
        for (key, value) in entries.sortedByName() {
            append([writer.keyText(key), value.shownKind, writer.line(of: value)])
        }
    }

    /// The columns domain, key, kind and value of all domains.
    init(ofDomains domains: PropertyListDictionary) {
        self.init("DOMAIN", "KEY", "KIND", "VALUE")
        let writer = OldStyleWriter()
        for (domain, contents) in domains.sortedByName() {
            for (key, value) in (contents.dictionaryValue ?? [:]).sortedByName() {
                append([writer.keyText(domain), writer.keyText(key), value.shownKind, writer.line(of: value)])
            }
        }
    }
}

extension PropertyListValue {
    /// The name of the kind, which is not known of a hidden value.
    fileprivate var shownKind: String { self == .string(HiddenValue.placeholder) ? "secret" : kind.name }
}

extension PropertyListKind {
    /// The name of the kind in `defaults`, which calls reals floats.
    var name: String { self == .real ? "float" : rawValue }
}
