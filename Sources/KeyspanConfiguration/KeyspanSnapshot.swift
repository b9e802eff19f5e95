#if Configuration
internal import Configuration
@_spi(StoreAuthors) internal import KeyspanCore

/// The values of a store at one instant, as a snapshot of swift-configuration.
struct KeyspanSnapshot {
    let providerName: String
    let table: PropertyListTable
    /// The store that errors name.
    let store: any PropertyListStore
    let entries: ConfigEntries

    /// The stored value of a key, of whatever kind.
    func storedValue(forKey key: AbsoluteConfigKey) -> StoredValue? {
        entries.storedValue(ofName: ConfigEntries.name(of: key), in: table)
    }

    /// Whether a stored value of a key is secret.
    func isSecret(_ stored: StoredValue, forKey key: AbsoluteConfigKey) -> Bool {
        entries.isSecret(ConfigEntries.name(of: key), stored, in: table)
    }

    /// The value of a key, or the error.
    func result(forKey key: AbsoluteConfigKey, type: ConfigType) -> Result<LookupResult, Defaults.ReadError> {
        let name = ConfigEntries.name(of: key)
        return Result { () throws(Defaults.ReadError) in
            guard let stored = storedValue(forKey: key) else {
                return LookupResult(encodedKey: name, value: nil)
            }
            if let error = entries.key(named: name)?.ruleError(for: stored, in: store) { throw error }
            let content = try content(of: stored, as: type, forKey: name)
            return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: isSecret(stored, forKey: key)))
        }
    }

    private func content(
        of stored: StoredValue,
        as type: ConfigType,
        forKey name: String
    ) throws(Defaults.ReadError) -> ConfigContent {
        do throws(Defaults.ReadError) {
            return try ConfigContent(stored, as: type, forKey: name, in: store)
        } catch {
            guard let text = entries.key(named: name)?.text(of: stored, as: type) else { throw error }
            return text
        }
    }
}

extension KeyspanSnapshot: ConfigSnapshot {
    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try result(forKey: key, type: type).get()
    }
}

extension KeyspanSnapshot: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "\(providerName)[\(table.count) values]" }

    var debugDescription: String { description }

    // Values may be secret.
    var customMirror: Mirror { Mirror(self, children: ["providerName": providerName]) }
}
#endif
