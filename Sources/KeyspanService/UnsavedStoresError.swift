#if Service
public import KeyspanCore

/// The stores whose values a ``KeyspanService`` could not save before its end.
///
/// Their values may be lost when the process ends. The texts never contain a value.
public struct UnsavedStoresError: Error, Sendable {
    /// A store that was not saved.
    public struct Failure: Sendable {
        /// Why a store was not saved.
        public enum Cause: Sendable {
            /// It had not answered when the time was over, for instance because its disk hangs.
            case timeout(Duration)
            /// It failed.
            case failed(StoreError)
        }

        /// The name of the store.
        public let store: String
        /// Why it was not saved.
        public let cause: Cause
        /// The names of the keys whose values only this process has, sorted, if the store knows them.
        public let unsavedKeys: [String]
    }

    /// The stores that were not saved, in the order in which the service has them; never empty.
    public let failures: [Failure]
}

extension UnsavedStoresError.Failure: CustomStringConvertible {
    /// The failure in one sentence.
    public var description: String {
        let reason =
            switch cause {
            case .timeout(let limit): "\(store): it was not saved within \(limit)"
            case .failed(let error): "\(store): it was not saved: \(error.reason)"
            }
        let remedy =
            switch cause {
            case .timeout: "check the disk, or give it more time"
            case .failed(let error): error.remedy
            }
        return "\(reason)\(keys); \(remedy)."
    }

    /// The first keys, as a clause in parentheses.
    private var keys: String {
        unsavedKeys.isEmpty ? "" : " (unsaved: \(unsavedKeys.shortList()))"
    }
}

extension UnsavedStoresError: CustomStringConvertible {
    /// A line for each store.
    public var description: String {
        failures.map(\.description).joined(separator: "\n")
    }
}
#endif
