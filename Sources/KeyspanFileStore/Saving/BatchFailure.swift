import KeyspanCore

/// A failure of work under the file's lock, which may be one of the file.
protocol FileFailure: Error {
    /// The work failed because of the file.
    init(_ error: FileStoreError)
    /// Whether it failed only because someone has replaced the file meanwhile.
    var isSuperseded: Bool { get }
}

extension FileStoreError: FileFailure {
    init(_ error: FileStoreError) { self = error }
}

/// Why a batch that the disk decides did not happen.
enum BatchFailure: FileFailure {
    /// It could not be made durable.
    case file(FileStoreError)
    /// It is one that cannot be applied.
    case store(StoreError)

    init(_ error: FileStoreError) { self = .file(error) }

    var isSuperseded: Bool {
        if case .file(let error) = self { error.isSuperseded } else { false }
    }

    /// What the caller is told.
    func storeError(store: String) -> StoreError {
        switch self {
        case .file(let error): .notDurable(error, store: store)
        case .store(let error): error
        }
    }
}

extension StoreError {
    /// A batch rests on a value that a validation keeps from coming into force.
    static func conflict(key: String, store: String, refusedBy error: any Error) -> StoreError {
        StoreError(
            .conflict,
            store: store,
            key: key,
            reason:
                "the batch expects something of the key, and the validation refused what the file has now (\(error))",
            remedy: "correct the file",
            underlying: error
        )
    }

    /// What was applied, or was to be applied, could not be made durable.
    static func notDurable(_ error: FileStoreError, store: String) -> StoreError {
        StoreError(
            .notDurable,
            store: store,
            reason: "cannot \(error.step): \(error.reason)",
            remedy: error.remedy,
            underlying: error
        )
    }
}
