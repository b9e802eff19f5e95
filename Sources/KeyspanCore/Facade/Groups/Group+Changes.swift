extension Defaults.Group {
    /// The changes of the group's keys from now on, each with the values of all keys before and after it.
    ///
    /// A service rebuilds what it made of its settings when one of them changes:
    ///
    /// ```swift
    /// struct PoolKeys: KeyGroup {
    ///     let host = Key<String>("host", default: "localhost")
    ///     let port = Key<Int>("port", default: 5432)
    ///     let size = Key<Int>("size", default: 8)
    /// }
    ///
    /// func run(_ settings: Defaults.Group<PoolKeys>) async {
    ///     let changes = settings.changes()
    ///     print("connecting to \(changes.initial.host):\(changes.initial.port)")
    ///     for await change in changes {
    ///         if change.contains(\.host) || change.contains(\.port) {
    ///             print("leaving \(change.old.host) for \(change.new.host):\(change.new.port)")
    ///         } else {
    ///             print("resizing to \(change.new.size)")
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A batch that changes several keys is one change, and all values of a snapshot are from the same instant. The values before a change
    /// are those after the previous one, so that no change is lost between two elements. The observer is registered before this returns;
    /// ``Changes/initial`` has the values from which the first change begins. The sequence is for one reader, and ends when the task that
    /// reads it is canceled.
    ///
    /// - Parameter buffering: Which changes wait for a slow reader. With ``Defaults/UpdateBuffering/latest``, the changes that a reader
    ///   has missed are one change, and none if they cancel each other out.
    public func changes(buffering: Defaults.UpdateBuffering = .every) -> Changes {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PropertyListTable.self,
            bufferingPolicy: buffering.policy()
        )
        let entries = Locked(ObservedEntries())
        let first = Locked(PropertyListTable())
        let store = store
        let observation = store.observe(.entries(of: allKeys, in: store), initial: true) { change in
            let table = entries.withLock { entries in
                entries.apply(change)
                return entries.table
            }
            if change.isInitial {
                first.withLock { $0 = table }
            } else {
                continuation.yield(table)
            }
        }
        continuation.onTermination = { _ in observation.cancel() }
        let state = StoreState(first.withLock { $0 }, of: store)
        return Changes(initial: Snapshot(keys: keys, prefix: prefix, state: state), tables: stream)
    }

    /// A change of any keys of a group, as one batch made it.
    public struct Change: Sendable {
        /// The values before the change.
        public let old: Snapshot
        /// The values after the change.
        public let new: Snapshot

        /// The keys whose stored values differ, in the order of their declaration, with those of nested groups.
        ///
        /// Two forms of one value, such as `90s` and `1m30s`, differ here. Each use compares all keys of the group.
        public var keys: [Defaults.AnyKey] {
            new.keys.allKeys(prefix: new.prefix).filter(contains)
        }

        /// Whether the stored value of a key differs.
        ///
        /// - Parameter path: The key, also one of a nested group: `\.tls.certificate`.
        public func contains(_ path: KeyPath<Keys, some Defaults.AnyKey>) -> Bool {
            contains(new.keys[keyPath: path].untypedVariant(prefixedBy: new.prefix))
        }

        /// Whether the stored value of any key of a nested group differs.
        public func contains(_ path: KeyPath<Keys, some KeyGroup>) -> Bool {
            new.keys[keyPath: path].allKeys(prefix: new.prefix).contains(where: contains)
        }

        /// Whether the stored value of any key of a nested group with a prefix differs.
        public func contains<Nested>(_ path: KeyPath<Keys, Defaults.Prefixed<Nested>>) -> Bool {
            new.keys[keyPath: path].allKeys(prefix: new.prefix).contains(where: contains)
        }

        private func contains(_ key: Defaults.AnyKey) -> Bool {
            key.entryNames.contains { old.state.table[stored: $0] != new.state.table[stored: $0] }
        }
    }

    /// The changes of a group's keys as an asynchronous sequence, for one reader.
    public struct Changes: AsyncSequence, Sendable {
        public typealias Element = Change
        public typealias Failure = Never

        /// The values from which the first change begins.
        public let initial: Snapshot

        fileprivate let tables: AsyncStream<PropertyListTable>

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(tables: tables.makeAsyncIterator(), last: initial)
        }

        /// The iterator of the changes.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var tables: AsyncStream<PropertyListTable>.AsyncIterator
            fileprivate var last: Snapshot

            public mutating func next() async -> Change? { await next(isolation: nil) }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
                while let table = await tables.next(isolation: actor) {
                    // Changes that a reader has missed can cancel each other out.
                    if table.hasSameStoredValues(as: last.state.table) { continue }
                    let state = StoreState(table, of: last.state.store)
                    let change = Change(old: last, new: Snapshot(keys: last.keys, prefix: last.prefix, state: state))
                    last = change.new
                    return change
                }
                return nil
            }
        }
    }
}
