#if canImport(Darwin)
internal import KeyspanUserDefaults

/// The standard store of a program that has chosen none: `UserDefaults.standard`.
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

/// The standard store of a program that has chosen none, where the platform has none of its own.
enum PlatformStore {
    /// Opens the JSON file `defaults.json` in a folder of the program's name in the user's configuration folder, or, if that
    /// fails, a store that lives in memory and says so; with registered defaults below it.
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
            return try JSONFileStore(path: path)
        } catch {
            return UnsavedStore(name: path, cause: error)
        }
    }

    /// Where the file is; `nil` if the program has no name or the user no folder.
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
