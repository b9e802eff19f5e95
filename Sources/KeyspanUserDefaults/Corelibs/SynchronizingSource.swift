#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore

/// A suite's file, which a store and the `UserDefaults` of the same process share.
///
/// The objects of the suite show the store's values only after ``refresh()``, because every other way to show them has a cost: a
/// value that is set in the object is unsaved there, so `UserDefaults` later merges it over the file; an entry in the argument domain
/// of an object hides what code sets through the object, cannot show a removal, and is invisible to other objects of the suite.
struct SynchronizingSource: RefreshableSource {
    private let store: PropertyListFileStore
    private let reference: UserDefaultsReference
    private let sleep: @Sendable (Duration) -> Void

    init(
        _ store: PropertyListFileStore,
        of reference: UserDefaultsReference,
        sleep: @escaping @Sendable (Duration) -> Void = LockPatience.stopThread
    ) {
        self.store = store
        self.reference = reference
        self.sleep = sleep
    }

    /// Lets `UserDefaults` synchronize while no store writes the file.
    ///
    /// Without unsaved changes, it only discards its cache and so reads the values that the store has saved. With changes, which
    /// only `UserDefaults` knows, it reads the file, merges them and overwrites the file.
    func refresh() throws(StoreError) {
        RegisteredDefaults.ofProcess.mirror.refresh(.all)
        var isSynchronized = false
        do {
            try withExclusiveFile { isSynchronized = reference.defaults.synchronize() }
        } catch {
            throw StoreError(
                .notDurable,
                store: store.name,
                reason: "the values could not be saved (\(error.reason))",
                remedy: error.remedy,
                underlying: error
            )
        }
        guard isSynchronized else {
            throw StoreError(
                .notDurable,
                store: store.name,
                reason: "UserDefaults could not save its changes",
                remedy: "make sure that the file and its folder are writable, and try again"
            )
        }
    }

    /// Runs the write under the file's lock, and retries while the file cannot be parsed: then a `UserDefaults` in another process
    /// is overwriting it, perhaps on behalf of another suite, because it saves all suites at once.
    private func withExclusiveFile(_ write: () -> Void) throws(FileStoreError) {
        var attempts = 50
        while true {
            do throws(FileStoreError) {
                return try store.withExclusiveFile(write)
            } catch {
                guard error.step == .parse, attempts > 1 else { throw error }
                attempts -= 1
                sleep(.milliseconds(10))
            }
        }
    }
}
#endif
