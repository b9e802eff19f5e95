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
    func setting(of key: Defaults.AnyKey) -> Setting { settings(of: [key])[0] }

    /// The settings of keys; reads the files of the store to find the lines of values.
    func settings(of keys: [Defaults.AnyKey]) -> [Setting] {
        let rows = Defaults(journal.store).describe(keys, in: snapshot.table).rows
        return zip(keys, rows).map { key, row in
            Setting(
                key: key,
                row: row,
                stored: key.entryNames.count == 1 ? snapshot.table[stored: key.entryNames[0]] : nil,
                version: snapshot.version(of: key),
                latest: snapshot.latestChange(of: key),
                isEditable: access.canEdit(key)
            )
        }
    }

    /// The changes of the history that the person may see, the latest first, with the entries that they may see.
    ///
    /// - Parameter number: Only changes after this one.
    func changes(after number: UInt64 = 0) -> [(change: SettingsJournal.Change, keys: [Defaults.AnyKey])] {
        let keys = keys
        return snapshot.history.reversed().prefix { $0.number > number }.compactMap { change in
            let names = Set(change.entries.map { UTF8Text($0.key) })
            let concerned = keys.filter { $0.entryNames.contains { names.contains(UTF8Text($0)) } }
            return concerned.isEmpty ? nil : (change, concerned)
        }
    }
}
