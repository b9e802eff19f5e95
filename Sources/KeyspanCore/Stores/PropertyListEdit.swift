/// A batch in the making, which reads what it is about to write.
///
/// Reading returns the value written to the edit, or else the value that readers of the store see in the state of the first
/// read. Each value read from the store becomes an expectation: the store refuses the batch if the value has changed meanwhile.
public struct PropertyListEdit: Sendable {
    private static var searchedCount: Int { 8 }

    /// The state of the store that is read, and the values that were read from it.
    private struct Reads: Sendable {
        let state: LayeredState
        var known = KnownValues()
        // The same of the layer that is written; used only if there are others.
        var knownOfWrittenLayer = KnownValues()

        // The state after the first writes of the edit, and their number.
        private var changed: (state: LayeredState, count: Int)?

        init(_ state: LayeredState) {
            self.state = state
        }

        /// The value of a key after the writes of the edit; each of them is applied once, whatever the number of reads.
        mutating func storedValue(forKey key: String, after writes: PropertyListBatch.Writes) -> StoredValue? {
            var (state, count) = changed.take() ?? (state, 0)
            while count < writes.count {
                state.apply(writes[count])
                count += 1
            }
            changed = (state, count)
            return state[key]
        }
    }

    // The store whose state is read, unless the edit began with a state.
    private let store: (any PropertyListStore)?
    private let trustsNotes: Bool

    // Made by the first read, because an edit that only writes needs no state.
    private var reads: Reads?

    /// The writes so far, and the values that they depend on.
    private(set) var batch: PropertyListBatch

    // Where the last write of each key is in the batch, as soon as that is too long to be searched.
    private var positions: TextDictionary<Int>?
    private var isCleared = false

    // The names of dictionaries that written keys may lead into.
    private var writtenGroups: Set<UTF8Text> = []

    /// Whether the edit depends on a value of the state, other than one that it only replaces.
    private(set) var hasRead = false

    /// Whether the edit has looked only at values that it replaces.
    fileprivate private(set) var onlyReplaces = true

    /// The first name that a program's key must not have; the edit is not applied.
    private var reservedName: String?

    /// Begins an edit of a state.
    package init(_ state: PropertyListTable) {
        store = nil
        trustsNotes = false
        batch = PropertyListBatch()
        reads = Reads(LayeredState(own: state))
    }

    /// Begins an edit of a store, which may have layers.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - trustsNotes: Whether writes may expect the state that their keys have noted, in place of the value that they replace.
    init(of store: any PropertyListStore, trustingNotes trustsNotes: Bool = true) {
        self.store = store
        self.trustsNotes = trustsNotes
        batch = PropertyListBatch()
    }

    /// Makes an edit of nothing, to exchange with another one.
    init() {
        store = nil
        trustsNotes = false
        batch = PropertyListBatch(isQuiet: false)
    }

    /// The form in which keys write values that a property list has no kind for.
    var valueForm: Defaults.ValueForm { store?.valueForm ?? .jsonText }

    /// The value of a key as it will be; setting adds a write to the batch, and `nil` removes the key.
    ///
    /// A key that was removed has the value that other layers of a ``LayeredStore`` have for it; the batch expects nothing
    /// of that value.
    public subscript(key: String) -> PropertyListValue? {
        mutating get { storedValue(forKey: key)?.value }
        set { append(PropertyListBatch.Write(newValue, forKey: key)) }
    }

    /// Adds a write.
    mutating func append(_ write: consuming PropertyListBatch.Write) {
        if reservedName == nil, LibraryEntries.isReserved(write.key) { reservedName = write.key }
        add(write)
    }

    /// Adds the write of a record of the library itself.
    mutating func record(_ value: PropertyListValue?, in entry: String) {
        add(PropertyListBatch.Write(value, forKey: entry))
    }

    /// Throws if the edit writes an entry of the library itself like that of a key.
    func checkNames(in store: String) throws(StoreError) {
        if let reservedName { try LibraryEntries.check(CollectionOfOne(reservedName), in: store) }
    }

    private mutating func add(_ write: consuming PropertyListBatch.Write) {
        if positions != nil { positions?[write.key] = batch.writes.count }
        if write.key.utf8.contains(GroupNames.dot) { writtenGroups.formUnion(write.key.beginningsBeforeDots) }
        batch.append(write)
        if positions == nil, batch.writes.count > Self.searchedCount { positions = batch.writes.positions }
    }

    /// The value of a key as it will be, with whether it is text that someone typed.
    @_spi(StoreAuthors) public mutating func storedValue(forKey key: String) -> StoredValue? {
        hasRead = true
        onlyReplaces = false
        return lookUp(key)
    }

    private mutating func lookUp(_ key: String) -> StoredValue? {
        if mayLeadIntoWrites(key) {
            let found = withReads { [writes = batch.writes] reads in
                reads.state.isNamed ? (reads.state[key], reads.storedValue(forKey: key, after: writes)) : nil
            }
            if let (present, changed) = found {
                batch.expectStored(present, forKey: key)
                return changed
            }
        }
        if let write = lastWrite(deciding: key) {
            if let value = write.value { return StoredValue(value) }
            return withReads { $0.state.isLayered ? $0.state.otherValue(forKey: key) : nil }
        }
        if let known = reads?.known[key] { return known }
        let present = withReads { reads in
            let present = reads.state[key]
            reads.known[key] = .some(present)
            return present
        }
        batch.expectStored(present, forKey: key)
        return present
    }

    /// Whether a key has another name in common with one that is written, so that one may lead into the value of the other.
    private func mayLeadIntoWrites(_ key: String) -> Bool {
        if batch.writes.isEmpty { return false }
        if writtenGroups.contains(key) { return true }
        return key.utf8.contains(GroupNames.dot)
            && key.beginningsBeforeDots.contains { lastWrite(deciding: $0.wrappedValue)?.removesAll == false }
    }

    private mutating func withReads<Result>(_ body: (inout Reads) -> Result) -> Result {
        // An edit without a store began with a state.
        var taken = reads.take() ?? Reads(store?.layeredState ?? LayeredState(own: PropertyListTable()))
        defer { reads = taken }
        return body(&taken)
    }

    /// The write that decides a key; `nil` if the key stays as it is.
    private func lastWrite(deciding key: String) -> PropertyListBatch.Write? {
        guard let positions else { return batch.writes.last(deciding: key) }
        return positions[key].map { batch.writes[$0] } ?? (isCleared ? .removalOfAll : nil)
    }

    /// Exchanges the batch with another one, when the edit is no longer needed.
    mutating func exchange(_ other: inout PropertyListBatch) {
        swap(&batch, &other)
    }

    /// Makes the edit depend on every value that it has looked up, replaced ones included.
    mutating func dependOnReplacedValues() {
        hasRead = true
    }

    /// Removes all keys; the values of other layers of a ``LayeredStore`` stay.
    public mutating func removeAll() {
        batch.removeAll()
        isCleared = true
        if positions != nil { positions = [:] }
    }

    /// Whether a write of a key replaces the value of the store, and the key has noted that state of it.
    func replacesNotedValue(ofKey key: String, notedBy note: WrittenState) -> Bool {
        guard trustsNotes, let store, lastWrite(deciding: key) == nil else { return false }
        return note.isCurrent(in: store)
    }

    /// The value that a write of a key replaces: that of the layer which is written, whatever others have.
    @usableFromInline
    mutating func replacedValue(forKey key: String) -> StoredValue? {
        guard withReads(\.state.isLayered) else { return lookUp(key) }
        if let write = lastWrite(deciding: key) { return write.value.map { StoredValue($0) } }
        if let known = reads?.knownOfWrittenLayer[key] { return known }
        let present = withReads { reads in
            let present = reads.state.own[stored: key]
            reads.knownOfWrittenLayer[key] = .some(present)
            return present
        }
        batch.expect(present?.value, ofWrittenStoreForKey: key)
        return present
    }
}

extension PropertyListStore {
    /// Applies an edit of the present state in one batch, and begins anew if another writer changed a value that it read.
    ///
    /// A conflict that repeats while the store stays as it is fails like any other error.
    ///
    /// - Parameters:
    ///   - isDecidedDurably: Whether the store compares the values that the edit read with its durable state, whatever its
    ///     options say of other batches.
    ///   - change: Makes the edit; can be called more than once. Nothing is applied if it throws.
    ///   - isPlainWrite: Whether the edit is made in any case, so that memory may decide unless the edit depends on a value
    ///     that it has read.
    ///   - storeFailure: The error to throw for one of the store.
    func edit<Result, Failure: Error>(
        decidedDurably isDecidedDurably: Bool = false,
        _ change: (inout PropertyListEdit) throws(Failure) -> Result,
        isPlainWrite: Bool = false,
        storeFailure: (StoreError) -> Failure
    ) throws(Failure) -> Result {
        var attempts = EditAttempts(isDecidedDurably: isDecidedDurably, isPlainWrite: isPlainWrite)
        while true {
            var batch = PropertyListBatch(isQuiet: false)
            let (result, isDone) = try attempts.begin(in: self, making: &batch, change, storeFailure: storeFailure)
            if isDone { return result }
            do {
                try apply(batch)
                return result
            } catch {
                guard attempts.canRepeat(batch, after: error) else {
                    throw storeFailure(error.beforeApplying.naming(batch))
                }
            }
        }
    }

    /// Applies an edit like ``edit(decidedDurably:_:isPlainWrite:storeFailure:)``, and returns when it is durable without blocking
    /// a thread of the cooperative pool.
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - change: Makes the edit; can be called more than once. Nothing is applied if it throws.
    ///   - storeFailure: The error to throw for one of the store.
    func edit<Result, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ change: (inout PropertyListEdit) throws(Failure) -> Result,
        storeFailure: (StoreError) -> Failure
    ) async throws(Failure) -> Result {
        var attempts = EditAttempts(isDecidedDurably: false, isPlainWrite: false)
        while true {
            var batch = PropertyListBatch(isQuiet: false)
            let (result, isDone) = try attempts.begin(in: self, making: &batch, change, storeFailure: storeFailure)
            if isDone { return result }
            do {
                try await commit(batch)
                return result
            } catch {
                guard attempts.canRepeat(batch, after: error) else { throw storeFailure(error.naming(batch)) }
            }
        }
    }

    /// Applies an edit that cannot fail by itself.
    func edit(_ change: (inout PropertyListEdit) -> Void) throws(StoreError) {
        try edit({ (edit) throws(StoreError) in change(&edit) }, storeFailure: { $0 })
    }

    /// Applies a batch; the error of a failure names its keys.
    func applyNamingKeys(_ batch: PropertyListBatch) throws(StoreError) {
        do {
            try apply(batch)
        } catch {
            throw error.naming(batch)
        }
    }

    /// Applies a batch; the error of a failure names its keys.
    ///
    /// - Returns: `false` if nothing happened because a key does not hold the value that the batch expects, so that the
    ///   caller can make the batch again.
    func applyUnlessConflicting(_ batch: PropertyListBatch) throws(StoreError) -> Bool {
        do {
            try apply(batch)
            return true
        } catch {
            guard error.isRepeatable else { throw error.naming(batch) }
            return false
        }
    }
}

/// The attempts to apply one edit, until no other writer interferes.
private struct EditAttempts {
    let isDecidedDurably: Bool
    let isPlainWrite: Bool

    // A store that passes batches to several others cannot be in a state that each of them has noted.
    private var trustsNotes = true
    private var revision: StoreRevision?
    private var retries = ConflictRetries()

    init(isDecidedDurably: Bool, isPlainWrite: Bool) {
        self.isDecidedDurably = isDecidedDurably
        self.isPlainWrite = isPlainWrite
    }

    /// Makes the edit of the present state.
    ///
    /// The copy of the state ends on return, because a write copies parts of a table while someone holds a copy of it.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - batch: An empty batch, which gets the writes of the edit: a result would be copied.
    ///   - change: Makes the edit.
    ///   - storeFailure: The error to throw for one of the store.
    /// - Returns: The result of the closure, and whether there is nothing to apply.
    mutating func begin<Result, Failure: Error>(
        in store: any PropertyListStore,
        making batch: inout PropertyListBatch,
        _ change: (inout PropertyListEdit) throws(Failure) -> Result,
        storeFailure: (StoreError) -> Failure
    ) throws(Failure) -> (result: Result, isDone: Bool) {
        revision = store.revision
        var edit = PropertyListEdit(of: store, trustingNotes: trustsNotes)
        let result = try change(&edit)
        do {
            try edit.checkNames(in: store.name)
        } catch {
            throw storeFailure(error.naming(edit.batch))
        }
        edit.exchange(&batch)
        if batch.isEmpty {
            // Values from one layer and from several are from one instant if nothing has changed meanwhile.
            let isOfOneInstant =
                batch.expected.isEmpty || store.writtenStore === store || revision != nil && store.revision == revision
            if isOfOneInstant { return (result, true) }
            // An edit that only reads wants to know no more than that.
            batch.arbiter = .memory
        } else if isPlainWrite, !edit.hasRead {
            batch.arbiter = .memory
        } else {
            batch.arbiter = isDecidedDurably ? .durableState : .store
            batch.onlyReplaces = edit.onlyReplaces
        }
        return (result, false)
    }

    /// Whether the edit can succeed at another attempt.
    mutating func canRepeat(_ batch: PropertyListBatch, after error: StoreError) -> Bool {
        if batch.writes.expectsNotedStates { trustsNotes = false }
        return error.isRepeatable && !retries.areExhausted(at: revision, expecting: batch.expectations)
    }
}

/// The retries of a write after conflicts, counted as long as each attempt finds the store unchanged.
///
/// A store that refuses a batch with a conflict has made the deciding value visible, so the next attempt begins with another
/// state and some writer makes progress. The limit ends the retries at a store that breaks this rule.
struct ConflictRetries {
    private static var limit: Int { 64 }

    private var revision: StoreRevision?
    private var expectations: [PropertyListBatch.Expectation] = []
    private var count = 0

    /// Counts an attempt that ended in a conflict.
    ///
    /// - Parameters:
    ///   - revision: The state with which the attempt began, if the store numbers its states.
    ///   - expectations: The expectations of the batch, which distinguish states of a store that does not number them.
    /// - Returns: Whether so many attempts began with this state that another one cannot help.
    mutating func areExhausted(
        at revision: StoreRevision?,
        expecting expectations: [PropertyListBatch.Expectation]
    ) -> Bool {
        if revision != self.revision || revision == nil && expectations != self.expectations { count = 0 }
        (self.revision, self.expectations) = (revision, expectations)
        count += 1
        return count >= Self.limit
    }
}
