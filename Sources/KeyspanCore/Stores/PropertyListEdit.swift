/// A batch in the making, which reads what it is about to write.
///
/// It begins with a state of a store. Reading gives what was written to the edit, and else what readers of that state see.
/// What was read from the state becomes an expectation of the batch: the store refuses it if the value has changed
/// meanwhile.
public struct PropertyListEdit: Sendable {
    /// The state that the edit began with.
    let base: LayeredState

    /// The writes so far, and what they rest on.
    public private(set) var batch = PropertyListBatch()

    // What was read, or written in the place of what readers see.
    private var known: TextDictionary<StoredValue?> = [:]
    // The same of the layer that is written; used only if there are others.
    private var knownOfWrittenLayer: TextDictionary<StoredValue?> = [:]
    private var isCleared = false

    /// Whether a value of the state was asked for, other than to keep it when another one takes its place.
    private(set) var hasRead = false

    /// Begins an edit of a state.
    public init(_ base: PropertyListTable) {
        self.init(LayeredState(own: base))
    }

    /// Begins an edit of a state of a store that may have layers.
    init(_ base: LayeredState) {
        self.base = base
    }

    /// The value of a key as it will be; setting adds a write to the batch, and `nil` removes the key.
    ///
    /// A key that was removed has the value that other layers of a ``LayeredStore`` have for it; the batch expects nothing
    /// of that value.
    public subscript(key: String) -> PropertyListValue? {
        mutating get { storedValue(forKey: key)?.value }
        set {
            let written = newValue.map { StoredValue($0) }
            known[key] = .some(written ?? base.otherValue(forKey: key))
            if base.isLayered { knownOfWrittenLayer[key] = .some(written) }
            batch.set(newValue, forKey: key)
        }
    }

    /// The value of a key as it will be, with whether it is text that someone typed.
    public mutating func storedValue(forKey key: String) -> StoredValue? {
        hasRead = true
        return lookUp(key)
    }

    private mutating func lookUp(_ key: String) -> StoredValue? {
        if let known = known[key] { return known }
        if isCleared { return base.otherValue(forKey: key) }
        let present = base[key]
        batch.expectStored(present, forKey: key)
        known[key] = .some(present)
        return present
    }

    /// Removes all keys; what other layers of a ``LayeredStore`` have for them stays.
    public mutating func removeAll() {
        known = [:]
        knownOfWrittenLayer = [:]
        isCleared = true
        batch.removeAll()
    }

    /// The value that a write of a key replaces: that of the layer which is written, whatever others have.
    mutating func replacedValue(forKey key: String) -> StoredValue? {
        guard base.isLayered else { return lookUp(key) }
        if let known = knownOfWrittenLayer[key] { return known }
        if isCleared { return nil }
        let present = base.own[stored: key]
        batch.expect(present?.value, ofWrittenStoreForKey: key)
        knownOfWrittenLayer[key] = .some(present)
        return present
    }
}

extension PropertyListStore {
    /// Applies an edit of the present state in one batch, and begins anew if another writer changed what it read.
    ///
    /// A conflict that comes again and again while the store stays as it is fails as any other error does.
    ///
    /// - Parameters:
    ///   - isDecidedDurably: Whether the store compares what the edit read with its durable state, whatever its options say
    ///     of other batches.
    ///   - change: Makes the edit; can be called more than once. Nothing is applied if it throws.
    ///   - isPlainWrite: Whether the edit is made in any case, so that memory may decide unless it rests on what it has read,
    ///     or keeps a value.
    ///   - storeFailure: The error to throw for one of the store.
    func edit<Result, Failure: Error>(
        decidedDurably isDecidedDurably: Bool = false,
        _ change: (inout PropertyListEdit) throws(Failure) -> Result,
        isPlainWrite: Bool = false,
        storeFailure: (StoreError) -> Failure
    ) throws(Failure) -> Result {
        var rounds = FruitlessRounds()
        while true {
            let revision = revision
            var (batch, hasRead, result) = try batch(of: change)
            // What was read of one layer and of several is of one instant if nothing has changed meanwhile.
            if batch.isEmpty,
                batch.expected.isEmpty || writtenStore === self || revision != nil && self.revision == revision
            {
                return result
            }
            // An edit that only reads wants to know no more than that.
            let rests = !isPlainWrite || hasRead || batch.writes(KeptValues.entryName)
            batch.arbiter = !rests || batch.isEmpty ? .memory : isDecidedDurably ? .durableState : .store
            do {
                try apply(batch)
                return result
            } catch {
                guard error.isRepeatable, !rounds.areOver(at: revision, expecting: batch.expectations) else {
                    throw storeFailure(error)
                }
            }
        }
    }

    /// Applies a batch.
    ///
    /// - Returns: `false` if nothing happened because a key does not hold what the batch expects, so that it is worth while
    ///   to make the batch again.
    func applyUnlessConflicting(_ batch: PropertyListBatch) throws(StoreError) -> Bool {
        do {
            try apply(batch)
            return true
        } catch {
            guard error.isRepeatable else { throw error }
            return false
        }
    }

    /// The batch of an edit of the present state.
    ///
    /// The state is let go on return, because a write copies parts of a table while someone holds a copy of it.
    private func batch<Result, Failure: Error>(
        of change: (inout PropertyListEdit) throws(Failure) -> Result
    ) throws(Failure) -> (batch: PropertyListBatch, hasRead: Bool, result: Result) {
        var edit = PropertyListEdit(layeredState)
        let result = try change(&edit)
        return (edit.batch, edit.hasRead, result)
    }

    /// Applies an edit that cannot fail by itself.
    func edit(_ change: (inout PropertyListEdit) -> Void) throws(StoreError) {
        try edit({ (edit) throws(StoreError) in change(&edit) }, storeFailure: { $0 })
    }
}

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
