extension Defaults {
    /// Describes keys and the values that the store has for them, all from one instant.
    ///
    /// ```swift
    /// let timeout = Defaults.Key<Double>("timeout", default: 30)
    ///     .summary("Seconds to wait for an answer.")
    /// let token = Defaults.Key<String?>("token")
    ///     .secret()
    ///
    /// print(Defaults(InMemoryStore()).describe([timeout, token]).text)
    /// ```
    ///
    /// Reads each file of the store once, to say in which lines the values are. Default values that are made by a closure
    /// are not made.
    public func describe(_ keys: [AnyKey]) -> Description {
        let table = store.snapshot()
        let names = keys.flatMap { $0.untyped.entryNames }
        let provenance = store.provenance(ofKeys: names, findingLines: true)
        return Description(rows: keys.map { $0.untyped.row(in: table, of: store, from: provenance) })
    }
}

extension Defaults.Group {
    /// Describes the keys of the group and the values that the store has for them.
    ///
    /// The keys are those of ``allKeys``.
    public func describe() -> Defaults.Description { defaults.describe(allKeys) }
}
