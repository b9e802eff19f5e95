#if Console
@_spi(StoreAuthors) import KeyspanCore

/// One key with its value, as a page shows it.
struct Setting: Sendable {
    let key: Defaults.AnyKey
    let row: Defaults.SettingsDescription.Row
    /// The stored value; `nil` if there is none, and for a value of several entries.
    let stored: StoredValue?
    /// The value of the written store; `nil` if it has none, and for a value of several entries.
    let written: StoredValue?
    let version: SettingsVersion
    /// The last change in this run of the program.
    let latest: SettingsJournal.LatestChange?
    /// Whether the person may change it.
    let isEditable: Bool
    /// Whether readers see the value of a layer above the written one.
    let isHidden: Bool
    /// Whether a layer above the written one has a value, which may be merged with the written one.
    let isCovered: Bool

    /// The value in the form in which people write it; `nil` if there is none, if it is unreadable, and for a secret.
    var readable: PropertyListValue? {
        guard case .value(let value) = row.value else { return nil }
        return key.readableForm(of: stored ?? StoredValue(value)) ?? value
    }

    /// The value that an editor begins with: that of the written store if readers see something of another one.
    var edited: PropertyListValue? {
        if !isCovered { return readable }
        guard !row.isSecret, let written else { return nil }
        return key.readableForm(of: written) ?? written.value
    }

    /// The default in the form in which people write it.
    var readableDefault: PropertyListValue? {
        guard case .value(let value) = row.defaultValue else { return nil }
        return key.readableForm(of: StoredValue(value)) ?? value
    }
}
#endif
