#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

extension UserDefaultsStore {
    /// Opens a suite by name.
    convenience init(_ suite: SuiteName, surroundings: SurroundingLayers = .ofProcess) throws(StoreError) {
        try self.init(file: SuiteFile(of: suite), surroundings: surroundings)
    }

    /// Opens the suite of a `UserDefaults`; a subclass is read and written through its methods.
    ///
    /// - Parameters:
    ///   - reference: The `UserDefaults`.
    ///   - isShared: Whether the store is opened once for the life of the process. It then waits for an unusable file, with the
    ///     values in memory, because no code would open the store again.
    ///   - observingKeys: Not used, because key-value observing does not exist here.
    ///   - sleep: Stops the thread for a time, while another program writes the file.
    convenience init(
        opening reference: UserDefaultsReference,
        isShared: Bool = false,
        observingKeys: Bool = true,
        sleep: (Duration) -> Void = LockPatience.stopThread
    ) throws(StoreError) {
        let unusable = isShared ? UnusableFile.isAwaited : .isRefused
        switch UserDefaultsIdentity(of: reference) {
        case .standard:
            try self.init(file: SuiteFile.standard(), userDefaults: reference, unusable: unusable, sleep: sleep)
        case .suite(let name):
            try self.init(
                file: SuiteFile(of: SuiteName(name.wrappedValue)),
                userDefaults: reference,
                unusable: unusable,
                sleep: sleep
            )
        case .object:
            let name = "\(type(of: reference.defaults))"
            self.init(mirroring: reference, domain: nil, name: name, changes: NoUserDefaultsChanges())
        }
    }

    private convenience init(
        file: SuiteFile,
        userDefaults: UserDefaultsReference? = nil,
        unusable: UnusableFile = .isRefused,
        surroundings: SurroundingLayers = .ofProcess,
        sleep: (Duration) -> Void = LockPatience.stopThread
    ) throws(StoreError) {
        let store: PropertyListFileStore
        do {
            store = try PatientOpening.open(unusable: unusable, sleep: sleep) { (unusable) throws(FileStoreError) in
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

/// The file of a suite in swift-corelibs-foundation.
struct SuiteFile {
    /// The path.
    let path: String
    /// The name of its store.
    let storeName: String

    private let suiteName: String?

    /// The options of the file's store.
    ///
    /// Saves go through a journal, so that their cost does not depend on the size of the suite, and soon reach the file, because
    /// other programs read only the file.
    static let options = {
        var options = FileStoreOptions(journal: .beside(checkpointDelay: .milliseconds(500)))
        // A name with dots is one of an entry to `UserDefaults`.
        options.namesLeadInside = false
        return options
    }()

    /// The file of a suite with a name.
    init(of suite: SuiteName) throws(StoreError) {
        try self.init(name: suite.text, suiteName: suite.text, storeName: suite.storeName)
    }

    /// The file of `UserDefaults.standard`, named after the program's bundle identifier or else after its process.
    static func standard() throws(StoreError) -> SuiteFile {
        let identifier = Bundle.main.bundleIdentifier ?? ""
        return try SuiteFile(
            name: identifier.isEmpty ? ProcessInfo.processInfo.processName : identifier,
            suiteName: nil,
            storeName: "UserDefaults.standard"
        )
    }

    private init(name: String, suiteName: String?, storeName: String) throws(StoreError) {
        path = "\(try Self.folder(storeName: storeName))/\(name).plist"
        self.suiteName = suiteName
        self.storeName = storeName
    }

    private static func folder(storeName: String) throws(StoreError) -> String {
        var reason = "there is no folder for its file"
        do {
            if let folder = try UserFolder.configuration() { return folder }
        } catch {
            reason = "\(error)"
        }
        throw StoreError(
            .cannotOpen,
            store: storeName,
            reason: reason,
            remedy: "set HOME or XDG_CONFIG_HOME to an absolute path"
        )
    }

    /// Makes a `UserDefaults` of this file.
    func makeUserDefaults() -> UserDefaults {
        UserDefaults(suiteName: suiteName) ?? .standard
    }
}
#endif
