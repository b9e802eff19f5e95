import KeyspanCore

/// What a `UserDefaults` has above and below the values of a suite.
struct SurroundingLayers: Sendable {
    /// What the program was started with.
    let arguments: any PropertyListStore
    /// What is read where nothing else has a value.
    let registered: any RegisteringStore

    /// Those of the process, for one store: each has a layer of registered defaults with observers of its own.
    static var ofProcess: SurroundingLayers {
        SurroundingLayers(arguments: launchArguments, registered: RegisteredDefaults.ofProcess.makeLayer())
    }

    // It never changes, so it calls observers at once, each on the thread that registers it.
    private static let launchArguments = LaunchArgumentsStore()
}
