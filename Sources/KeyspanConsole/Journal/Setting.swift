@_spi(StoreAuthors) import KeyspanCore

/// One key with its value, as a page shows it.
struct Setting: Sendable {
    let key: Defaults.AnyKey
    let row: Defaults.SettingsDescription.Row
    /// The stored value; `nil` if there is none, and for a value of several entries.
    let stored: StoredValue?
    let version: SettingsVersion
    /// The last change in this run of the program.
    let latest: SettingsJournal.LatestChange?
    /// Whether the person may change it.
    let isEditable: Bool

    /// The value in the form in which people write it; `nil` if there is none, if it is unreadable, and for a secret.
    var readable: PropertyListValue? {
        guard case .value(let value) = row.value else { return nil }
        return (stored ?? StoredValue(value)).readable(by: key) ?? value
    }

    /// The default in the form in which people write it.
    var readableDefault: PropertyListValue? {
        guard case .value(let value) = row.defaultValue else { return nil }
        return StoredValue(value).readable(by: key) ?? value
    }
}

extension StoredValue {
    fileprivate func readable(by key: Defaults.AnyKey) -> PropertyListValue? { key.readableForm(of: self) }
}
