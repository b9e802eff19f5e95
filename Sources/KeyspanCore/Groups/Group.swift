extension Defaults {
    /// The values of a group's keys in one store, as properties.
    ///
    /// ```swift
    /// struct AppKeys: KeyGroup {
    ///     let launchCount = Key<Int>("launchCount", default: 0)
    ///     let servers = Key<[String]>("servers", default: [])
    /// }
    ///
    /// let settings = Defaults.Group<AppKeys>(InMemoryStore())
    /// settings.modify(\.launchCount) { $0 += 1 }
    /// settings.servers = ["localhost"]
    /// print(settings[\.launchCount])
    /// ```
    ///
    /// Reading and writing behave as with the subscript of ``Defaults``: they never fail, and report what goes wrong to
    /// ``onProblem(_:)``. Changing a property in place is two steps, as it is there. A group inside the group is a value of this type too. It can be handed to code that is to see
    /// those settings and no others.
    ///
    /// The subscript takes the key path of any key, `settings[\.update]`, also of one that has the name of a member.
    ///
    /// What `withObservationTracking` runs, and the body of a SwiftUI view, is told when a value changes that it has read
    /// here, whoever changed it. Keep the group for as long as that is wanted: the group, with all groups that were taken
    /// out of it, observes the store from its first read on, and stops when the last of them is released.
    ///
    /// A group holds its keys; make one and pass it on rather than making it anew for each use. Safe to use from any thread;
    /// reading does no I/O.
    @dynamicMemberLookup
    public struct Group<Keys: KeyGroup>: Sendable {
        @usableFromInline let keys: Keys
        @usableFromInline let prefix: Prefix
        // Has the store too, so that copies of a group count few references.
        @usableFromInline let tracker: StoreTracker

        @inlinable var defaults: Defaults { tracker.defaults }

        /// Makes access to the values of a group's keys.
        ///
        /// - Parameters:
        ///   - store: The store that has the values, whatever store (`suite:`) the keys name.
        ///   - prefix: What stands before the names of all keys, as it is; as a rule nothing.
        public init(_ store: any PropertyListStore, prefix: String = "") {
            self.init(Keys(), prefix: prefix.isEmpty ? .none : Prefix(prefix), tracker: StoreTracker(store))
        }

        @usableFromInline
        init(_ keys: Keys, prefix: Prefix, tracker: StoreTracker) {
            self.keys = keys
            self.prefix = prefix
            self.tracker = tracker
        }

        /// The value of a key, or the key's default if there is none or it cannot be read; as the subscript of ``Defaults``.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Key<Value>>) -> Value {
            @inlinable
            get { self[path] }
            @inlinable
            nonmutating set { self[path] = newValue }
            @inlinable
            nonmutating _modify { yield &self[path] }
        }

        /// The value of a key, or the key's default if there is none or it cannot be read; as the subscript of ``Defaults``.
        public subscript<Value>(path: KeyPath<Keys, Key<Value>>) -> Value {
            @inlinable
            get {
                let key = key(path)
                // Before the read, so that a change after it is one of something that was read.
                tracker.access(key)
                return defaults[key]
            }
            @inlinable
            nonmutating set { defaults[key(path)] = newValue }
            @inlinable
            nonmutating _modify {
                let key = key(path)
                tracker.access(key)
                yield &defaults[key]
            }
        }

        /// A group inside the group.
        @inlinable
        public subscript<Nested: KeyGroup>(dynamicMember path: KeyPath<Keys, Nested>) -> Group<Nested> {
            Group<Nested>(keys[keyPath: path], prefix: prefix, tracker: tracker)
        }

        /// A group with a prefix inside the group.
        @inlinable
        public subscript<Nested>(dynamicMember path: KeyPath<Keys, Prefixed<Nested>>) -> Group<Nested> {
            let nested = keys[keyPath: path]
            return Group<Nested>(nested.keys, prefix: nested.prefix.appended(to: prefix), tracker: tracker)
        }

        /// A key under its full name.
        @inlinable
        func key<Value>(_ path: KeyPath<Keys, Key<Value>>) -> Key<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }
    }
}
