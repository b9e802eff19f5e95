import KeyspanCore

/// The system's key-value store of iCloud as what a table in memory mirrors.
struct UbiquitousSource: MirroredSource {
    private let values: any UbiquitousValues
    private let reports: ForeignValueReports

    /// Makes a source; what is no property list is told with the name of the store.
    init(_ values: any UbiquitousValues, store: String) {
        self.values = values
        reports = ForeignValueReports(store: store)
    }

    func table() -> PropertyListTable {
        var table = PropertyListTable()
        for (key, entry) in values.entries(nil) {
            table[key] = value(of: entry, forKey: key)
        }
        return table
    }

    func value(forKey key: String) -> PropertyListValue? {
        values.entries([UTF8Text(key)])[key].flatMap { value(of: $0, forKey: key) }
    }

    func isHidden(_ key: String) -> Bool { false }

    func perform(_ batch: PropertyListBatch) {
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key): values.set(value, forKey: key)
            case .remove(let key): values.set(nil, forKey: key)
            case .removeAll: values.entries(nil).keys.forEach { values.set(nil, forKey: $0) }
            }
        }
    }

    private func value(of entry: UbiquitousEntry, forKey key: String) -> PropertyListValue? {
        switch entry {
        case .value(let value): return value
        case .foreign(let reason):
            reports.report(reason, ofKey: key)
            return nil
        }
    }
}
