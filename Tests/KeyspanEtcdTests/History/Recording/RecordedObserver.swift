/// How a store sends its writes, which decides the rule for what it shows.
package enum StoreMode: String, Codable, Sendable {
    /// A write returns when the cluster has it, and the store shows states of the cluster only.
    case direct
    /// A write is queued, and the store shows its unsent writes over the state of the cluster.
    case background
}

/// The value of a key before and after a change.
package struct ObservedValues: Codable, Sendable, Equatable {
    /// The value before; `nil` for a missing key.
    package var old: String?
    /// The value after; `nil` for a removed key.
    package var new: String?

    /// Makes a pair of values.
    package init(old: String?, new: String?) {
        (self.old, self.new) = (old, new)
    }
}

/// One notification of an observer: the keys that changed together.
package struct ObservedChange: Codable, Sendable, Equatable {
    /// The keys with their old and new values.
    package var values: [String: ObservedValues]
    /// When the observer was notified.
    package var time: UInt64
    /// Whether the store had to list the prefix anew, so that the change may cover several revisions.
    package var listsAnew: Bool

    /// Makes a change.
    package init(_ values: [String: ObservedValues], time: UInt64, listsAnew: Bool = false) {
        (self.values, self.time, self.listsAnew) = (values, time, listsAnew)
    }

    /// The keys whose values differ, with their new values.
    ///
    /// An entry with two equal values says nothing, and no check uses more of it than the old value.
    package var difference: [String: String?] {
        values.filter { $0.value.old != $0.value.new }.mapValues(\.new)
    }
}

/// What an observer of a store saw: a snapshot, the changes that followed it, and the final table.
package struct RecordedObserver: Codable, Sendable, Equatable {
    /// Its name, unique among all processes of the test.
    package var name: String
    /// The store that it observes.
    package var store: String
    /// The table that the store showed when the observation began.
    package var start: [String: String]
    /// The revision of that table, if the test knows it.
    package var startRevision: Int64?
    /// When the observation began.
    package var began: UInt64
    /// The changes, in the order in which they came.
    package var changes: [ObservedChange]
    /// How many changes may cover several revisions, apart from those that list anew.
    package var allowedJumps: Int
    /// The table that the store showed after everything had healed, if the test read it.
    package var final: [String: String]?
    /// Whether the observation may end before the last revision, because its process was killed or it was canceled.
    package var endsEarly: Bool

    /// Makes an observer that has seen nothing but the snapshot.
    package init(
        name: String,
        store: String,
        start: [String: String],
        startRevision: Int64? = nil,
        began: UInt64,
        allowedJumps: Int = 0,
        endsEarly: Bool = false
    ) {
        (self.name, self.store, self.start, self.startRevision) = (name, store, start, startRevision)
        (self.began, self.allowedJumps, self.endsEarly) = (began, allowedJumps, endsEarly)
        (changes, final) = ([], nil)
    }
}

/// What one read returned.
package enum ReadContent: Codable, Sendable, Equatable {
    /// The whole table.
    case snapshot([String: String])
    /// The digest of the whole table, for readers so fast that the tables would fill the memory.
    case digest(TableDigest)
    /// The value of one key; `nil` for a missing one.
    case value(key: String, String?)
}

/// One read of a store.
package struct RecordedRead: Codable, Sendable, Equatable {
    /// When it began.
    package var began: UInt64
    /// When it ended.
    package var ended: UInt64
    /// What it returned.
    package var content: ReadContent

    /// Makes a read.
    package init(began: UInt64, ended: UInt64, _ content: ReadContent) {
        (self.began, self.ended, self.content) = (began, ended, content)
    }
}

/// The reads of one thread from one store, one after the other.
package struct RecordedReader: Codable, Sendable, Equatable {
    /// Its name, unique among all processes of the test.
    package var name: String
    /// The store that it reads.
    package var store: String
    /// The reads, in order.
    package var reads: [RecordedRead]

    /// Makes a reader.
    package init(name: String, store: String, reads: [RecordedRead] = []) {
        (self.name, self.store, self.reads) = (name, store, reads)
    }
}
