public import KeyspanFileStore
public import Testing

extension FileStoreOptions {
    /// Without a journal: every save is a new version of the file.
    static let oneFile = FileStoreOptions(journal: .none)

    /// Saves nothing in the background within the time of a test.
    static let unhurried = FileStoreOptions(
        saveDelay: .seconds(3600),
        journal: .beside(checkpointDelay: .seconds(3600))
    )

    /// Every mode that saves differently.
    static let modes: [FileStoreOptions] = [
        FileStoreOptions(), .oneFile,
        FileStoreOptions(durability: .everyBatch), FileStoreOptions(durability: .everyBatch, journal: .none),
        FileStoreOptions(durability: .onSynchronize), FileStoreOptions(durability: .onSynchronize, journal: .none),
        FileStoreOptions(recovery: .lastGoodCopy), FileStoreOptions(journal: .none, recovery: .lastGoodCopy),
    ]
}

extension FileStoreOptions: CustomTestStringConvertible {
    public var testDescription: String {
        "\(durability), \(journal == .none ? "one file" : "journal")\(recovery == .none ? "" : ", recovering")"
    }
}
