public import Foundation
public import KeyspanCore

extension UserDefaultsStore {
    /// The store of `UserDefaults.standard`.
    ///
    /// The first use opens it. If it cannot be opened, which can happen on Linux only, that is reported to
    /// `Defaults.onProblem(_:)`, the values live in memory, and `synchronize()` throws the reason. As soon as its file can be
    /// read, it is: the values arrive as a change, and keys that were written meanwhile keep what was written. A file that is
    /// half written is looked at for half a second before that.
    public static var standard: any RegisteringStore { openedStandard.published }

    private static let openedStandard = OpenedOnce { of(.standard) }

    /// The store of a `UserDefaults`, the same each time.
    ///
    /// It stays open until the process ends. If it cannot be opened, it is as ``standard`` is then. On Linux it also posts
    /// `UserDefaults.didChangeNotification` for what changes, as the system does elsewhere.
    ///
    /// - Parameter userDefaults: The `UserDefaults`; on Linux another object for the same suite has the same store.
    public static func of(_ userDefaults: UserDefaults) -> any RegisteringStore {
        SharedStores.ofProcess.store(of: UserDefaultsReference(userDefaults))
    }
}
