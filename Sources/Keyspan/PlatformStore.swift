#if canImport(Darwin)
internal import KeyspanUserDefaults

/// The default standard store: `UserDefaults.standard`.
enum PlatformStore {
    /// The store, opened the first time.
    static func open() -> any PropertyListStore { UserDefaultsStore.standard }
}
#else
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The default standard store on platforms without one of their own.
enum PlatformStore {
    /// Opens the JSON file `defaults.json` in a folder with the program's name in the user's configuration folder, above a
    /// domain for registered defaults.
    ///
    /// If the file cannot be used, that is reported, and the values stay in memory until it can. Without a folder for the file,
    /// they stay in memory.
    static func open(
        program: String? = CommandLine.arguments.first,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> LayeredStore {
        LayeredStore(registeringBelow: openFile(program: program, environment: environment))
    }

    private static func openFile(program: String?, environment: [String: String]) -> any PropertyListStore {
        guard let path = path(program: program, environment: environment) else {
            return UnsavedStore(
                name: "standard store",
                cause: StoreError(
                    .notDurable,
                    store: "standard store",
                    reason: "there is no folder for its file",
                    remedy: "set HOME or XDG_CONFIG_HOME, or choose a store with Defaults.bootstrap(_:)"
                )
            )
        }
        do {
            return try PatientOpening.open(unusable: .isAwaited) { (unusable) throws(FileStoreError) in
                try JSONFileStore(path: path, unusable: unusable, seams: .ofProcess())
            }
        } catch {
            return UnsavedStore(name: path, cause: error)
        }
    }

    /// The path of the file; `nil` if the program has no name or the user no folder.
    static func path(program: String?, environment: [String: String]) -> String? {
        guard
            let folder = UserFolder.configuration(in: environment),
            let program = program?.unicodeScalars.split(separator: "/").last.map(Substring.init),
            program != "." && program != ".."
        else { return nil }
        return "\(folder)/\(program)/defaults.json"
    }
}
#endif
