import KeyspanCore

/// What a `UserDefaults` has above and below the values of a suite.
struct SurroundingLayers: Sendable {
    /// What the program was started with.
    let arguments: any PropertyListStore
    /// What is read where nothing else has a value.
    let registered: any RegisteringStore

    /// Those of the process.
    static let ofProcess = SurroundingLayers(
        arguments: LaunchArgumentsStore(),
        registered: RegisteredDefaults.ofProcess
    )
}
