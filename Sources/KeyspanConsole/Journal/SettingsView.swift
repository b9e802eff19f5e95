#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The settings at one instant, as far as one person may see them.
struct SettingsView: Sendable {
    let journal: SettingsJournal
    let access: SettingsConsole.Access
    let options: SettingsConsole.Options
    let snapshot: SettingsJournal.Snapshot

    /// Makes the view of the present state.
    init(of journal: SettingsJournal, as access: SettingsConsole.Access, options: SettingsConsole.Options) {
        self.journal = journal
        self.access = options.allowsEditing ? access : access.withoutEditing
        self.options = options
        snapshot = journal.snapshot()
    }

    /// The same person's view of the present state.
    var renewed: SettingsView { SettingsView(of: journal, as: access, options: options) }

    /// The keys that the person may see.
    var keys: [Defaults.AnyKey] { journal.keys.filter(access.canRead) }

    /// The key of a name, if the person may see it.
    func key(named name: String) -> Defaults.AnyKey? {
        journal.key(named: name).flatMap { access.canRead($0) ? $0 : nil }
    }

    /// The setting of a key.
    func setting(of key: Defaults.AnyKey) -> Setting { settings(of: [key], fresh: true)[0] }

    /// The settings of keys.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - isFresh: Whether to find the sources of all values anew, which reads the files of the store.
    func settings(of keys: [Defaults.AnyKey], fresh isFresh: Bool) -> [Setting] {
        zip(keys, journal.rows(of: keys, in: snapshot, fresh: isFresh)).map { key, row in
            let entry = key.entryNames.count == 1 ? key.entryNames[0] : nil
            return Setting(
                key: key,
                row: row,
                stored: entry.flatMap { snapshot.table[stored: $0] },
                written: entry.flatMap { snapshot.written[stored: $0] },
                version: snapshot.version(of: key),
                latest: snapshot.latestChange(of: key),
                isEditable: access.canEdit(key),
                isHidden: key.entryNames.contains { journal.store.hidesWrites(ofKey: $0) },
                isCovered: key.entryNames.contains { journal.store.coversWrites(ofKey: $0) }
            )
        }
    }

    /// The changes of the history that the person may see, the latest first, with the keys that they may see.
    ///
    /// - Parameter number: Only changes after this one.
    func changes(after number: UInt64 = 0) -> [HistoryEntry] {
        snapshot.history.reversed().prefix { $0.number > number }.compactMap { entry in
            let lines = entry.lines.filter { access.canRead($0.key) }
            if lines.isEmpty { return nil }
            return HistoryEntry(
                number: entry.number,
                date: entry.date,
                author: entry.author,
                lines: lines,
                isHidden: entry.isHidden
            )
        }
    }
}
#endif
