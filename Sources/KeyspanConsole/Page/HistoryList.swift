#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The last changes of the settings, the latest first.
struct HistoryList {
    /// The number of keys of a change that the list shows.
    private static let maximumLineCount = 20

    /// The elements `li`.
    let items: [HTMLText]

    /// Makes the elements of changes.
    init(of entries: [HistoryEntry]) {
        items = entries.map { entry in
            let author: HTMLText =
                switch entry.author {
                case let author?: author.person.map { "<b>\($0)</b>" } ?? "on a page"
                case nil: #"<span class="none">elsewhere</span>"#
                }
            let rest = entry.lines.count - Self.maximumLineCount
            let more: HTMLText? = rest > 0 ? "<li>and \(rest) more</li>" : nil
            let hidden: HTMLText? =
                entry.isHidden ? #" <span class="none">saved below a layer that decides</span>"# : nil
            let lines = entry.lines.prefix(Self.maximumLineCount).map(Self.line)
            return "<li>\(TimeText.html(of: entry.date)) \(author)\(hidden)<ul>\(lines)\(more)</ul></li>"
        }
    }

    private static func line(of line: HistoryEntry.Line) -> HTMLText {
        if line.key.isSecret { return "<li><code>\(line.key.name)</code> has another secret value</li>" }
        let values = line.values.map { "\(text($0.old)) → \(text($0.new))" as HTMLText }
        return "<li><code>\(line.key.name)</code> \(values)</li>"
    }

    private static func text(_ text: String?) -> HTMLText {
        guard let text else { return #"<span class="none">none</span>"# }
        return ValueText.html(of: text)
    }
}
#endif
