/// Writes that a store applies together or not at all, and the values that they expect to find.
///
/// ```swift
/// let store = InMemoryStore()
/// var batch = PropertyListBatch()
/// batch.set("dark", forKey: "theme")
/// batch.remove("legacyTheme")
/// try store.apply(batch)
/// ```
public struct PropertyListBatch: Sendable {
    /// One write.
    public enum Operation: Sendable, Hashable {
        /// Stores a value under a key.
        case set(PropertyListValue, key: String)
        /// Removes a key; no error if the store has none of that name.
        case remove(key: String)
        /// Removes all keys that the store has at that point.
        case removeAll

        /// The key that is written; `nil` if all are removed.
        var key: String? {
            switch self {
            case .set(_, let key), .remove(let key): key
            case .removeAll: nil
            }
        }

        @_spi(StoreAuthors) public static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.set(let left, let leftKey), .set(let right, let rightKey)):
                left == right && leftKey.hasSameUTF8(as: rightKey)
            case (.remove(let left), .remove(let right)): left.hasSameUTF8(as: right)
            case (.removeAll, .removeAll): true
            default: false
            }
        }

        @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
            switch self {
            case .set(let value, let key):
                hasher.combine(value)
                hasher.combine(UTF8Text(key))
            case .remove(let key): hasher.combine(UTF8Text(key))
            case .removeAll: hasher.combine(0)
            }
        }
    }

    /// A condition of the batch: the value that a key must hold, or `nil` if the key must be absent.
    @_spi(StoreAuthors) public struct Expectation: Sendable, Hashable {
        /// The key.
        @_spi(StoreAuthors) @UTF8Text public private(set) var key: String
        /// The value that the key must hold; `nil` for no value.
        @_spi(StoreAuthors) public let value: PropertyListValue?
        /// Whether it is about the value that the ``PropertyListStore/writtenStore`` has, whatever readers see.
        ///
        /// To a store whose readers see what it writes it makes no difference.
        @_spi(StoreAuthors) public let isAboutWrittenStore: Bool

        /// The parts of the value that were text when the writer read it; `nil` to ignore them.
        ///
        /// Two layers can have equal values of which only one is text, and these decode differently.
        private let extent: TextExtent?

        init(key: String, value: PropertyListValue?, extent: TextExtent? = nil, isAboutWrittenStore: Bool = false) {
            self.key = key
            self.value = value
            self.extent = extent
            self.isAboutWrittenStore = isAboutWrittenStore
        }

        /// Whether this is what readers of a store with layers see.
        func isMet(by seen: StoredValue?) -> Bool {
            guard seen?.value == value else { return false }
            return extent == nil || extent == seen?.extent
        }
    }

    /// The writes in the order in which they take effect; of several to one key the last one wins.
    @_spi(StoreAuthors) public var operations: [Operation] {
        (0..<writes.count).map { writes[$0].operation }
    }

    /// The conditions that must hold at the instant of writing.
    ///
    /// The store compares under the lock under which it writes.
    @_spi(StoreAuthors) public internal(set) var expectations: [Expectation] {
        get { expected.array }
        set { expected = .many(newValue) }
    }

    /// The ``expectations``, without an array for a single one.
    var expected: OneOrMany<Expectation> = .many([])

    /// Where a store compares the expectations.
    package enum Arbiter: Sendable {
        /// In memory: the writer writes in any case, and only wants to know whether the value is another one by now.
        case memory
        /// Where the options of the store say.
        case store
        /// In the durable state, such as a file under its lock, whatever the options of the store say.
        case durableState
    }

    /// Where a store compares the expectations.
    package var arbiter = Arbiter.store

    /// Whether the expectations are only about values that the batch replaces, and of which its writes do not depend.
    package var onlyReplaces = false

    /// Whether observers of keys are not notified of the change: the batch was made in ``Defaults/withoutPropagation(_:)``.
    ///
    /// A store copies it to the ``PropertyListChange`` of the batch.
    @_spi(StoreAuthors) public var isQuiet: Bool

    /// The ``operations`` in the form in which stores apply them.
    package private(set) var writes: Writes

    /// Whether the batch expects the value of a key.
    ///
    /// - Parameter isMeant: Whether it is about that key.
    package func restsOnValue(where isMeant: (String) -> Bool) -> Bool {
        if expected.isEmpty, !writes.expectsNotedStates { return false }
        return restedKeys.contains(where: isMeant)
    }

    /// The keys of whose values or noted states the batch expects something.
    package var restedKeys: [String] {
        var keys: [String] = []
        expected.forEach { keys.append($0.key) }
        writes.forEach { if $0.expectsNotedState { keys.append($0.key) } }
        return keys
    }

    /// Whether there are expectations that a store may have to compare in its durable state.
    package var hasBindingExpectations: Bool { arbiter != .memory && (!expected.isEmpty || writes.expectsNotedStates) }

    /// Whether the change of the batch is quiet if the present thread applies it.
    package var isQuietNow: Bool { isQuiet || QuietScope.isActive }

    /// Whether the batch has writes or expectations, so that applying it can do or refuse anything.
    package var hasEffect: Bool { !isEmpty || !expected.isEmpty }

    /// Whether the batch has no writes.
    package var isEmpty: Bool { writes.isEmpty }

    /// Makes a batch without writes.
    public init() {
        self.init(isQuiet: QuietScope.isActive)
    }

    /// Makes a batch without writes.
    init(isQuiet: Bool) {
        writes = Writes()
        self.isQuiet = isQuiet
    }

    /// Makes a batch of one write.
    public init(_ operation: Operation) {
        self.init(Write(operation))
    }

    /// Makes a batch of the write of a key.
    init(_ write: Write) {
        writes = Writes(write)
        isQuiet = QuietScope.isActive
    }

    /// Adds a write of a value, or the removal of the key for `nil`.
    public mutating func set(_ value: PropertyListValue?, forKey key: String) {
        append(Write(value, forKey: key))
    }

    /// Adds the removal of a key.
    public mutating func remove(_ key: String) {
        append(Write(.remove(key: key)))
    }

    /// Adds the removal of all keys; writes added later stay.
    public mutating func removeAll() {
        append(.removalOfAll)
    }

    /// Adds the write of a key.
    mutating func append(_ write: consuming Write) {
        writes.append(write)
    }

    /// Lets the batch fail with ``StoreError/Code/conflict`` unless the key holds exactly that value, or none for `nil`.
    ///
    /// Use it to change a value depending on the old one, or to record a value only once, while others write.
    public mutating func expect(_ value: PropertyListValue?, forKey key: String) {
        expected.append(Expectation(key: key, value: value))
    }

    /// Lets the batch fail as ``expect(_:forKey:)`` does, also if the value is as it was but came as text then and not now.
    mutating func expectStored(_ stored: StoredValue?, forKey key: String) {
        expected.append(Expectation(key: key, value: stored?.value, extent: stored?.extent))
    }

    /// Lets the batch fail as ``expect(_:forKey:)`` does, by the value that the written store has for the key.
    mutating func expect(_ value: PropertyListValue?, ofWrittenStoreForKey key: String) {
        expected.append(Expectation(key: key, value: value, isAboutWrittenStore: true))
    }

    /// Replaces all expectations by one.
    mutating func expectOnly(_ value: PropertyListValue?, isAboutWrittenStore: Bool, forKey key: String) {
        expected = .one(Expectation(key: key, value: value, isAboutWrittenStore: isAboutWrittenStore))
    }

    /// Removes all expectations.
    package mutating func expectNothing() {
        expected = .many([])
    }

    /// The batch with other values in its writes.
    package func mapValues<Failure: Error>(
        _ transform: (PropertyListValue, _ key: String) throws(Failure) -> PropertyListValue
    ) throws(Failure) -> PropertyListBatch {
        var batch = self
        batch.writes = Writes()
        try writes.forEach { (write) throws(Failure) in
            guard let value = write.value else { return batch.append(write) }
            batch.append(write.replacing(value: try transform(value, write.key)))
        }
        return batch
    }
}
