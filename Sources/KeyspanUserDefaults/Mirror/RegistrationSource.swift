import Foundation
import KeyspanCore

/// The registration domain of `UserDefaults`.
struct RegistrationSource: MirroredSource {
    private let reports = ForeignValueReports(store: "registered defaults")

    func table() -> PropertyListTable {
        var table = PropertyListTable()
        for (key, object) in Self.registeredObjects() {
            table[key] = reports.value(of: object, forKey: key)
        }
        return table
    }

    func value(forKey key: String) -> PropertyListValue? {
        Self.registeredObjects()[key].flatMap { reports.value(of: $0, forKey: key) }
    }

    func isHidden(_ key: String) -> Bool { false }

    func perform(_ batch: PropertyListBatch) {
        var objects: [String: Any] = [:]
        for case .set(let value, let key) in batch.operations {
            objects[key] = FoundationValue.object(value)
        }
        UserDefaults.standard.register(defaults: objects)
    }
}
