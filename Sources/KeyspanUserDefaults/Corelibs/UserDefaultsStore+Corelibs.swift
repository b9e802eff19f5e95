#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanFileStore

extension UserDefaultsStore {
    /// Opens a suite by name.
    convenience init(_ suite: SuiteName, surroundings: SurroundingLayers = .ofProcess) throws(StoreError) {
        try self.init(file: SuiteFile(of: suite), surroundings: surroundings)
    }

    /// Opens the suite of a `UserDefaults`, or, of a subclass, what it shows.
    convenience init(opening reference: UserDefaultsReference) throws(StoreError) {
        switch UserDefaultsIdentity(of: reference) {
        case .standard:
            try self.init(file: SuiteFile.standard(), userDefaults: reference)
        case .suite(let name):
            try self.init(file: SuiteFile(of: SuiteName(name.wrappedValue)), userDefaults: reference)
        case .object:
            let name = "\(type(of: reference.defaults))"
            let domain = MirroredDomain(reference, name: name, changes: NoUserDefaultsChanges())
            self.init(name: name, values: domain, source: domain)
        }
    }

    private convenience init(
        file: SuiteFile,
        userDefaults: UserDefaultsReference? = nil,
        surroundings: SurroundingLayers = .ofProcess
    ) throws(StoreError) {
        let store: PropertyListFileStore
        do {
            store = try PropertyListFileStore(path: file.path, format: .binary, options: SuiteFile.options)
        } catch {
            throw StoreError(
                .cannotOpen,
                store: file.storeName,
                reason: "its file cannot be used (\(error.reason))",
                remedy: error.remedy,
                underlying: error
            )
        }
        self.init(
            name: file.storeName,
            values: store,
            source: SynchronizingSource(store, of: userDefaults ?? UserDefaultsReference(file.makeUserDefaults())),
            surroundings: surroundings
        )
    }
}
#endif
