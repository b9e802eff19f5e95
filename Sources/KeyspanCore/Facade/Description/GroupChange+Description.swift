extension Defaults.Group.Snapshot {
    /// Describes the keys of the group and the values that they had at that instant, without sources.
    public func describe() -> Defaults.SettingsDescription {
        .init(rows: rows(of: keys.allKeys(prefix: prefix)))
    }

    fileprivate func rows(of keys: [Defaults.AnyKey]) -> [Defaults.SettingsDescription.Row] {
        let secrets = SecretPlaces(of: self.keys.allKeys(prefix: prefix), in: state.table)
        return keys.compactMap {
            ($0 as? any DescribableKey)?.row(in: state.table, of: state.store, from: [:], hiding: secrets)
        }
    }
}

extension Defaults.Group.Change: CustomStringConvertible {
    /// The keys whose values differ, on one line for a log: `port: 8080 → 8081, theme: "light" → "dark"`.
    ///
    /// Values are shortened, collections are counted, and secrets are not shown.
    public var description: String {
        zip(old.rows(of: keys), new.rows(of: keys))
            .map { "\($0.name.visible): \($0.brief) → \($1.brief)" }
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
