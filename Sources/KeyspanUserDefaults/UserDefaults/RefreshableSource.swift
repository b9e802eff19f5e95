import KeyspanCore

/// Where the values of a ``UserDefaultsStore`` come from.
protocol RefreshableSource: Sendable {
    /// Takes over what other code wrote without anyone being told.
    func refresh() throws(StoreError)
}
