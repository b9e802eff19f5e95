package import KeyspanCore
package import KeyspanFileStore

/// The options with which a process opens the file, by name.
package enum StoreMode: String, Sendable, CaseIterable {
    /// As a store is opened without options.
    case grouped
    /// Each batch waits for the disk.
    case everyBatch
    /// Nothing is saved in the background.
    case onSynchronize
    /// The journal is folded all the time, so that kills meet folds.
    case hastyFolds
    /// Without a journal.
    case oneFile
    /// Without a journal, and each batch waits for the disk.
    case oneFileEveryBatch
    /// Each batch waits for the disk, and a validation looks at what others wrote.
    case validating
    /// As without options, and a validation looks at what others wrote.
    case validatingGrouped
    /// With a second copy of each version.
    case recovering
    /// As without options, but it does not wait long for others.
    case impatient

    /// Those that differ in how they save.
    package static let saving: [StoreMode] = [
        .grouped, .everyBatch, .onSynchronize, .hastyFolds, .oneFile, .oneFileEveryBatch, .recovering,
    ]

    /// The validation of other processes' writes, if there is one.
    package var validator: (@Sendable (PropertyListTable) throws -> Void)? {
        let accepting: @Sendable (PropertyListTable) throws -> Void = { _ in }
        return self == .validating || self == .validatingGrouped ? accepting : nil
    }

    /// The options.
    package var options: FileStoreOptions {
        var options = FileStoreOptions()
        // The machine may be busy with everything else; only one mode is to give up.
        options.lockTimeout = .seconds(120)
        switch self {
        case .grouped, .validatingGrouped: break
        case .everyBatch, .validating: options.durability = .everyBatch
        case .onSynchronize: options.durability = .onSynchronize
        case .hastyFolds:
            options.saveDelay = .milliseconds(5)
            options.journal = .beside(checkpointDelay: .milliseconds(20))
        case .oneFile: options.journal = .none
        case .oneFileEveryBatch:
            options.durability = .everyBatch
            options.journal = .none
        case .recovering:
            options.recovery = .lastGoodCopy
            options.journal = .beside(checkpointDelay: .milliseconds(50))
        case .impatient: options.lockTimeout = .milliseconds(100)
        }
        return options
    }
}
