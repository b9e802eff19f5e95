#if canImport(Darwin)
internal import KeyspanUserDefaults

/// The default standard store: `UserDefaults.standard`.
enum PlatformStore {
    /// The store, opened the first time.
    static func open() -> any PropertyListStore { UserDefaultsStore.standard }
}
#else
@_spi(StoreAuthors) internal import KeyspanCore

/// The default standard store on platforms without one of their own.
enum PlatformStore {
    /// Opens the JSON file `defaults.json` in a folder with the program's name in the user's configuration folder, above a
    /// domain for registered defaults.
    ///
    /// If the file cannot be used, that is reported, and the values stay in memory until it can. Without a folder for the file,
    /// or if its path would not be UTF-8, they stay in memory.
    static func open() -> LayeredStore {
        do {
            let program = try OutsideText.arguments.first?.lastComponent.valid(from: "the name of the program")
            return open(program: program, folder: try UserFolder.configuration())
        } catch {
            return LayeredStore(registeringBelow: unsavedStore(because: "\(error)"))
        }
    }

    /// Opens the file of a program in an environment.
    static func open(program: String?, environment: [String: String]) -> LayeredStore {
        open(program: program, folder: UserFolder.configuration(in: environment))
    }

    private static func open(program: String?, folder: String?) -> LayeredStore {
        let path = path(program: program, folder: folder)
        return LayeredStore(
            registeringBelow: path.map(openFile) ?? unsavedStore(because: "there is no folder for its file")
        )
    }

    private static func unsavedStore(because reason: String) -> any PropertyListStore {
        UnsavedStore(
            name: "standard store",
            cause: StoreError(
                .notDurable,
                store: "standard store",
                reason: reason,
                remedy: "set HOME or XDG_CONFIG_HOME, or choose a store with Defaults.bootstrap(_:)"
            )
        )
    }

    private static func openFile(at path: String) -> any PropertyListStore {
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
        path(program: program, folder: UserFolder.configuration(in: environment))
    }

    private static func path(program: String?, folder: String?) -> String? {
        guard
            let folder,
            let program = program?.unicodeScalars.split(separator: "/").last.map(Substring.init),
            program != "." && program != ".."
        else { return nil }
        return "\(folder)/\(program)/defaults.json"
    }
}
#endif
