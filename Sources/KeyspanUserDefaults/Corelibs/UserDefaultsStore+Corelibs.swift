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
    ///
    /// - Parameters:
    ///   - reference: The `UserDefaults`.
    ///   - isShared: Whether the store is opened once for the whole life of the process. A file that cannot be used is then
    ///     awaited, with the values in memory, because nobody would open the store again.
    convenience init(opening reference: UserDefaultsReference, isShared: Bool = false) throws(StoreError) {
        let unusable = isShared ? UnusableFile.isAwaited : .isRefused
        switch UserDefaultsIdentity(of: reference) {
        case .standard:
            try self.init(file: SuiteFile.standard(), userDefaults: reference, unusable: unusable)
        case .suite(let name):
            try self.init(
                file: SuiteFile(of: SuiteName(name.wrappedValue)),
                userDefaults: reference,
                unusable: unusable
            )
        case .object:
            let name = "\(type(of: reference.defaults))"
            let domain = MirroredDomain(reference, name: name, changes: NoUserDefaultsChanges())
            self.init(name: name, values: domain, source: domain)
        }
    }

    private convenience init(
        file: SuiteFile,
        userDefaults: UserDefaultsReference? = nil,
        unusable: UnusableFile = .isRefused,
        surroundings: SurroundingLayers = .ofProcess
    ) throws(StoreError) {
        let store: PropertyListFileStore
        do {
            store = try PatientOpening.open(unusable: unusable) { (unusable) throws(FileStoreError) in
                try PropertyListFileStore(
                    path: file.path,
                    format: .binary,
                    options: SuiteFile.options,
                    unusable: unusable,
                    seams: .ofProcess()
                )
            }
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
