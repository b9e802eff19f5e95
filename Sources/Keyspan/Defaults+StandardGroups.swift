extension Defaults.Group {
    /// Makes access to the values of a group's keys in the standard store, whatever store the keys name.
    public init() {
        self.init(Defaults.standard.store)
    }
}

/// Checks and descriptions of keys in the stores that they name, or else in the standard store.
extension Defaults {
    /// Checks that every stored value can be read in full and breaks no rule of its key; absent values are good.
    ///
    /// The values of one store are from one instant.
    ///
    /// - Throws: `ValidationError` with everything that is wrong, by store.
    public static func validate(_ keys: [AnyKey]) throws(ValidationError) {
        var problems: [InvalidValue] = []
        for (defaults, keys) in byStore(keys) {
            do {
                try defaults.validate(keys)
            } catch {
                problems += error.problems
            }
        }
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }

    /// Describes keys and the values that their stores have for them, by store.
    public static func describe(_ keys: [AnyKey]) -> SettingsDescription {
        SettingsDescription(rows: byStore(keys).flatMap { $0.describe($1).rows })
    }

    /// The keys of each store, the stores in the order in which the keys name them.
    static func byStore(_ keys: [AnyKey]) -> [(Defaults, [AnyKey])] {
        var stores: [(defaults: Defaults, keys: [AnyKey])] = []
        for key in keys {
            let defaults = key.defaults
            if let index = stores.firstIndex(where: { $0.defaults.store === defaults.store }) {
                stores[index].keys.append(key)
            } else {
                stores.append((defaults, [key]))
            }
        }
        return stores
    }
}
