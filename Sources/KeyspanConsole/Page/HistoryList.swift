@_spi(StoreAuthors) import KeyspanCore

/// The last changes of the settings, the latest first.
struct HistoryList {
    /// The elements `li`.
    let items: [HTMLText]

    /// Makes the elements of changes.
    init(of changes: [(change: SettingsJournal.Change, keys: [Defaults.AnyKey])], in view: SettingsView) {
        items = changes.map { change, keys in
            let lines = keys.map { Self.line(of: $0, in: change) }
            let author: HTMLText =
                switch change.author {
                case let author?: author.person.map { "<b>\($0)</b>" } ?? "on a page"
                case nil: #"<span class="none">elsewhere</span>"#
                }
            return "<li>\(TimeText.html(of: change.date)) \(author)<ul>\(lines)</ul></li>"
        }
    }

    private static func line(of key: Defaults.AnyKey, in change: SettingsJournal.Change) -> HTMLText {
        if key.isSecret { return "<li><code>\(key.name)</code> has another secret value</li>" }
        let values = change.entries.filter { entry in key.entryNames.contains { $0.hasSameUTF8(as: entry.key) } }
            .map { "\(text(of: $0.storedOld, for: key)) → \(text(of: $0.storedNew, for: key))" as HTMLText }
        return "<li><code>\(key.name)</code> \(values)</li>"
    }

    private static func text(of stored: StoredValue?, for key: Defaults.AnyKey) -> HTMLText {
        guard let stored else { return #"<span class="none">none</span>"# }
        let readable = key.entryNames.count == 1 ? key.readableForm(of: stored) : nil
        return ValueText(readable ?? stored.value).html
    }
}
