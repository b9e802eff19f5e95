/// The writes of one call that take effect together.
package struct RecordedBatch: Codable, Sendable, Equatable {
    /// Whether all other keys of the prefix are removed.
    package var removesAll: Bool
    /// The keys that are set or removed, with their new values; `nil` for a removed key.
    package var changes: [String: String?]

    /// Makes a batch.
    package init(_ changes: [String: String?], removesAll: Bool = false) {
        (self.changes, self.removesAll) = (changes, removesAll)
    }
}

/// What a call asked for.
package enum CallKind: Codable, Sendable, Equatable {
    /// Sets and removes several keys at once.
    case write(RecordedBatch)
    /// Sets or removes a key if it has the expected value, where `nil` stands for a missing key.
    case compareAndSet(key: String, expected: String?, new: String?)
    /// Adds one to an integer, which it reads and writes through a compare; a missing key counts as zero.
    case increment(key: String)

    /// The values that the call writes, as far as they are known before it runs.
    package var changes: [String: String?] {
        switch self {
        case .write(let batch): batch.changes
        case .compareAndSet(let key, _, let new): [key: new]
        case .increment: [:]
        }
    }

    /// Whether the call removes all keys that it does not set.
    package var removesAll: Bool {
        guard case .write(let batch) = self else { return false }
        return batch.removesAll
    }

    /// The key that the call increments.
    package var counter: String? {
        guard case .increment(let key) = self else { return nil }
        return key
    }
}

/// What the caller learned about a call.
package enum CallOutcome: Codable, Sendable, Equatable {
    /// The reason why a call did not take effect.
    package enum Refusal: String, Codable, Sendable {
        /// A compare found another value.
        case conflict
        /// Anything else that the cluster or the store refused before it took effect.
        case other
    }

    /// The cluster has it.
    case acknowledged
    /// It did not take effect, and it will not.
    case refused(Refusal)
    /// The caller cannot tell, for example because the connection broke before the answer came.
    case unknown
}

/// One call of a client, with the time it took and what came of it.
///
/// Values have to be unique: no two calls may write the same value to the same key, except for increments.
package struct RecordedCall: Codable, Sendable, Equatable {
    /// Its name, unique among all processes of the test.
    package var id: String
    /// The thread or task that made it.
    package var client: String
    /// The store on which it was made.
    package var store: String
    /// What it asked for.
    package var kind: CallKind
    /// A key that only this call writes, in the same transaction; it shows the revision that contains the call.
    package var tag: String?
    /// When it was invoked, in nanoseconds of the monotonic clock.
    package var invoked: UInt64
    /// When its outcome was known; `nil` if that never happened.
    ///
    /// For a store that writes in the background, this is when the store reported that the write was sent.
    package var returned: UInt64?
    /// What came of it; unknown as long as it has not returned.
    package var outcome: CallOutcome
    /// The value that an increment wrote, if the caller learned it.
    package var result: String?

    /// Makes a call that has not returned.
    package init(id: String, client: String, store: String, kind: CallKind, tag: String?, invoked: UInt64) {
        (self.id, self.client, self.store) = (id, client, store)
        (self.kind, self.tag, self.invoked) = (kind, tag, invoked)
        (returned, outcome, result) = (nil, .unknown, nil)
    }

    /// Whether the call had returned before another one was invoked.
    package func precedes(_ other: RecordedCall) -> Bool {
        guard let returned else { return false }
        return returned < other.invoked
    }

    /// Whether the call, on its own, writes this value to the key; `nil` for a removal.
    package func explains(_ value: String?, of key: String) -> Bool {
        if let tag, tag == key { return value != nil }
        if let counter = kind.counter { return counter == key && value != nil }
        if let change = kind.changes[key] { return change == value }
        return kind.removesAll && value == nil
    }
}
