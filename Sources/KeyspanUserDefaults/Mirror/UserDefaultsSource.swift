import Foundation
import KeyspanCore

/// What a `UserDefaults` has, without the launch arguments above and the registered defaults below it.
struct UserDefaultsSource: MirroredSource {
    private let reference: UserDefaultsReference
    private let reports: ForeignValueReports

    /// Makes a source of a `UserDefaults`.
    init(_ reference: UserDefaultsReference, reports: ForeignValueReports) {
        self.reference = reference
        self.reports = reports
    }

    func table() -> PropertyListTable {
        var table = PropertyListTable()
        let hidden = reference.defaults.volatileDomain(forName: UserDefaults.argumentDomain)
        for (key, object) in reference.defaults.dictionaryRepresentation() where hidden[key] == nil {
            table[key] = ownValue(of: object, forKey: key)
        }
        return table
    }

    func value(forKey key: String) -> PropertyListValue? {
        reference.defaults.object(forKey: key).flatMap { ownValue(of: $0, forKey: key) }
    }

    func isHidden(_ key: String) -> Bool {
        reference.defaults.volatileDomain(forName: UserDefaults.argumentDomain)[key] != nil
    }

    func perform(_ batch: PropertyListBatch) {
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key): reference.defaults.set(FoundationValue.object(value), forKey: key)
            case .remove(let key): reference.defaults.removeObject(forKey: key)
            case .removeAll:
                for key in reference.defaults.dictionaryRepresentation().keys {
                    reference.defaults.removeObject(forKey: key)
                }
            }
        }
    }

    private func ownValue(of object: Any, forKey key: String) -> PropertyListValue? {
        let value = reports.value(of: object, forKey: key)
        // A `UserDefaults` does not tell the two apart, and through the layers both read the same.
        return value == RegisteredDefaults.ofProcess.value(forKey: key) ? nil : value
    }
}
