#if Console
@_spi(StoreAuthors) import KeyspanCore

/// The present rows of some keys, for a page that has older ones.
struct SettingsUpdate {
    /// The members of a JSON object.
    let members: PropertyListDictionary

    /// Makes the rows of keys.
    init(of keys: [Defaults.AnyKey], in view: SettingsView) {
        let settings = view.settings(of: keys, fresh: false).map { setting -> PropertyListValue in
            [
                "key": .string(setting.key.name.percentEncoded),
                "version": .string(setting.version.description),
                "row": .string(SettingRow(of: setting).html.text),
                "notice": .string(SettingRow(of: setting).notice.text),
            ]
        }
        members = ["settings": .array(settings)]
    }
}
#endif
