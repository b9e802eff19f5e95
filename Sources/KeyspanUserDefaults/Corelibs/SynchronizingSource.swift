#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanFileStore

/// The file of a suite as two keep it: a store, and the `UserDefaults` of the same process.
struct SynchronizingSource: RefreshableSource {
    private let store: PropertyListFileStore
    private let reference: UserDefaultsReference

    init(_ store: PropertyListFileStore, of reference: UserDefaultsReference) {
        self.store = store
        self.reference = reference
    }

    /// Lets `UserDefaults` synchronise while no store writes the file.
    ///
    /// If it has nothing to write, it only forgets what it has read, and so reads what the store has saved. If it has, it reads
    /// the file, puts its changes in and writes it over the old one. Only it knows which those are.
    func refresh() throws(StoreError) {
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
                reason: "UserDefaults could not save what was written to it",
                remedy: "see that the file and its folder can be written, and try again"
            )
        }
    }

    /// Runs the write under the file's lock, and retries if the file could not be parsed: then a `UserDefaults` is about to write
    /// over it, of this suite or, as it saves all suites at once, of another.
    private func withExclusiveFile(_ write: () -> Void) throws(FileStoreError) {
        var attempts = 50
        while true {
            do throws(FileStoreError) {
                return try store.withExclusiveFile(write)
            } catch {
                guard error.step == .parse, attempts > 1 else { throw error }
                attempts -= 1
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }
}
#endif
