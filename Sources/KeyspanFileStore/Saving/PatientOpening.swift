/// Opens files that are also written by programs that take no lock: `UserDefaults`, and editors that write in place.
///
/// Such a file is empty or half written for a moment, and a program that starts in that moment must not go without it.
package enum PatientOpening {
    private static let limit = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(10)

    /// Opens a store, and looks again for half a second while its file cannot be parsed.
    ///
    /// - Parameters:
    ///   - unusable: What happens if the file cannot be used in the end.
    ///   - sleep: How a thread waits.
    ///   - open: Opens the store.
    /// - Throws: ``FileStoreError`` from the last attempt.
    package static func open<Store>(
        unusable: UnusableFile,
        sleep: (Duration) -> Void = LockPatience.stopThread,
        _ open: (UnusableFile) throws(FileStoreError) -> Store
    ) throws(FileStoreError) -> Store {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(FileStoreError) {
                return try open(.isRefused)
            } catch {
                guard error.step == .parse, ContinuousClock.now < deadline else {
                    guard unusable == .isAwaited else { throw error }
                    return try open(.isAwaited)
                }
                sleep(interval)
            }
        }
    }
}
