/// The rounds of a write that begins anew at each conflict, as long as each finds the store as the one before did.
///
/// A store that refuses a batch with a conflict has let the value that decides into its memory, so the next round begins
/// with another state, and some writer goes forward. This ends the rounds at a store that has not.
struct FruitlessRounds {
    private static var limit: Int { 64 }

    private var revision: StoreRevision?
    private var expectations: [PropertyListBatch.Expectation] = []
    private var count = 0

    /// Notes a round that a conflict has ended.
    ///
    /// - Parameters:
    ///   - revision: The state with which the round began, if the store numbers its states.
    ///   - expectations: What the batch expected, which tells states apart in a store that does not number them.
    /// - Returns: Whether so many rounds began with this state that no other one can help.
    mutating func areOver(
        at revision: StoreRevision?,
        expecting expectations: [PropertyListBatch.Expectation]
    ) -> Bool {
        if revision != self.revision || revision == nil && expectations != self.expectations { count = 0 }
        (self.revision, self.expectations) = (revision, expectations)
        count += 1
        return count >= Self.limit
    }
}
