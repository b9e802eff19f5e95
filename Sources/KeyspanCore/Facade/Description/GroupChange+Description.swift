extension Defaults.Group.Snapshot {
    /// Describes the keys of the group and the values that they had at that instant, without sources.
    public func describe() -> Defaults.SettingsDescription {
        .init(rows: keys.allKeys(prefix: prefix).compactMap(row))
    }

    fileprivate func row(of key: Defaults.AnyKey) -> Defaults.SettingsDescription.Row? {
        (key as? any DescribableKey)?.row(in: state.table, of: state.store, from: [:])
    }
}

extension Defaults.Group.Change: CustomStringConvertible {
    /// The keys whose values differ, on one line for a log: `port: 8080 → 8081, theme: "light" → "dark"`.
    ///
    /// Values are shortened, collections are counted, and secrets are not shown.
    public var description: String {
        keys.map { key in
            let values = [old, new].map { $0.row(of: key)?.brief ?? "?" }
            return "\(key.name): \(values.joined(separator: " → "))"
        }
        .joined(separator: ", ")
    }
}

extension Defaults.SettingsDescription.Row {
    /// The value that is read, in a few words.
    fileprivate var brief: String {
        switch value == .none ? defaultValue : value {
        case .value(let value): value.excerpt(isText: true)
        case .secret: "…"
        case .unreadable: "unusable"
        case .none: "none"
        case .computed: "computed"
        }
    }
}
