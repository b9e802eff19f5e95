#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanFileStore

/// The file in which swift-corelibs-foundation keeps a suite.
struct SuiteFile {
    /// Its path.
    let path: String
    /// What its store is called.
    let storeName: String

    private let suiteName: String?

    /// How the file is kept.
    ///
    /// What is saved goes through a journal, so that it costs the same whatever the size of the suite, and comes into the file
    /// soon, because other programs read nothing but the file.
    static let options = FileStoreOptions(journal: .beside(checkpointDelay: .milliseconds(500)))

    /// The file of a suite with a name.
    init(of suite: SuiteName) throws(StoreError) {
        try self.init(name: suite.text, suiteName: suite.text, storeName: suite.storeName)
    }

    /// The file of `UserDefaults.standard`: that of the program, by the identifier of its bundle or else its name.
    static func standard() throws(StoreError) -> SuiteFile {
        let identifier = Bundle.main.bundleIdentifier ?? ""
        return try SuiteFile(
            name: identifier.isEmpty ? ProcessInfo.processInfo.processName : identifier,
            suiteName: nil,
            storeName: "UserDefaults.standard"
        )
    }

    private init(name: String, suiteName: String?, storeName: String) throws(StoreError) {
        guard let folder = UserFolder.configuration() else {
            throw StoreError(
                .cannotOpen,
                store: storeName,
                reason: "there is no folder for its file",
                remedy: "set HOME or XDG_CONFIG_HOME to an absolute path"
            )
        }
        path = "\(folder)/\(name).plist"
        self.suiteName = suiteName
        self.storeName = storeName
    }

    /// A `UserDefaults` that has this file.
    func makeUserDefaults() -> UserDefaults {
        UserDefaults(suiteName: suiteName) ?? .standard
    }
}
#endif
