import KeyspanCore

/// Takes objects across the Foundation border, and tells of those that are no property list, each key once.
final class ForeignValueReports: Sendable {
    private let store: String
    private let told = Locked<Set<UTF8Text>>([])

    /// Makes reports of a store.
    init(store: String) {
        self.store = store
    }

    /// The value that an object is; if it is none, `nil`, and that is told unless it was before.
    func value(of object: Any, forKey key: String) -> PropertyListValue? {
        do {
            return try FoundationValue.value(object)
        } catch {
            report("\(error)", ofKey: key)
            return nil
        }
    }

    /// Tells that the value of a key is no property list, unless that was done before.
    ///
    /// - Parameter reason: What is wrong with it, as a clause without a full stop.
    func report(_ reason: String, ofKey key: String) {
        guard told.withLock({ $0.insert(UTF8Text(key)).inserted }) else { return }
        let error = StoreError(
            .notPropertyList,
            store: store,
            key: key,
            reason: reason,
            remedy: "find out which code stored it; it is left as it is, and read as no value until it is replaced"
        )
        Defaults.Problem.storeNotice(name: store, notice: error).report()
    }
}
