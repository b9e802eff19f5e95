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
    /// print(settings[\.launchCount])  // prints: 1
    /// ```
    ///
    /// Reading and writing behave as with the subscript of ``Defaults``: they never fail, and report problems to
    /// ``onProblem(_:)``. Changing a property in place takes two steps, as it does there. A nested group is a value of this type
    /// too, which you can pass to code that should access those settings only.
    ///
    /// The subscript takes the key path of any key, `settings[\.update]`, even if a member of the group has the same name.
    ///
    /// `withObservationTracking` and the bodies of SwiftUI views track the values that they read here, and are notified of their
    /// changes, also if nobody keeps the group: one observer serves all that reads a store, for as long as the store lives.
    ///
    /// A group holds its keys, which cache what they read, so make it once and pass it on. `Defaults.Group<AppKeys>()`, a group on the
    /// standard store, finds that store at each access, so it can be a static constant. Safe to use from any thread; reading does no I/O.
    @dynamicMemberLookup
    public struct Group<Keys: KeyGroup>: Sendable {
        @usableFromInline let keys: Keys
        @usableFromInline let prefix: Prefix
        @usableFromInline let place: StorePlace

        @inlinable var defaults: Defaults { place.tracked.defaults }

        /// The store of the values; for a group on the standard store, the one that is this now.
        public var store: any PropertyListStore { defaults.store }

        /// Makes access to the values of a group's keys.
        ///
        /// - Parameters:
        ///   - store: The store of the values. The suites of the keys are ignored.
        ///   - prefix: The prefix of the names of all keys, usually empty.
        public init(_ store: any PropertyListStore, prefix: String = "") {
            self.init(Keys(), prefix: prefix.isEmpty ? .none : Prefix(prefix), place: StorePlace(store))
        }

        /// Makes access to the values of a group's keys in a place.
        package init(in place: StorePlace) {
            self.init(Keys(), prefix: .none, place: place)
        }

        @usableFromInline
        init(_ keys: Keys, prefix: Prefix, place: StorePlace) {
            self.keys = keys
            self.prefix = prefix
            self.place = place
        }

        /// The value of a key, or the key's default if there is none or it cannot be used; as the subscript of ``Defaults``.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Key<Value>>) -> Value {
            @inlinable
            get { self[path] }
            @inlinable
            nonmutating set { self[path] = newValue }
            @inlinable
            nonmutating _modify { yield &self[path] }
        }

        /// The value of a key, or the key's default if there is none or it cannot be used; as the subscript of ``Defaults``.
        public subscript<Value>(path: KeyPath<Keys, Key<Value>>) -> Value {
            @inlinable
            get { place.value(of: key(path)) }
            @inlinable
            nonmutating set { defaults[key(path)] = newValue }
            @inlinable
            nonmutating _modify {
                let (key, tracked) = (key(path), place.tracked)
                tracked.access(key)
                yield &tracked.defaults[key]
            }
        }

        /// The value of a throwing key, or its default if there is none.
        ///
        /// To write, call ``set(_:for:)``.
        ///
        /// - Throws: ``Defaults/ReadError`` if there is a value that cannot be used.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, ThrowingKey<Value>>) -> Value {
            get throws(ReadError) { try value(for: path) }
        }

        /// The value of a throwing key, or its default if there is none.
        ///
        /// - Throws: ``Defaults/ReadError`` if there is a value that cannot be used.
        public subscript<Value>(path: KeyPath<Keys, ThrowingKey<Value>>) -> Value {
            get throws(ReadError) { try value(for: path) }
        }

        /// A nested group.
        @inlinable
        public subscript<Nested: KeyGroup>(dynamicMember path: KeyPath<Keys, Nested>) -> Group<Nested> {
            Group<Nested>(keys[keyPath: path], prefix: prefix, place: place)
        }

        /// A nested group with a prefix.
        @inlinable
        public subscript<Nested>(dynamicMember path: KeyPath<Keys, Prefixed<Nested>>) -> Group<Nested> {
            let nested = keys[keyPath: path]
            return Group<Nested>(nested.keys, prefix: nested.prefix.appended(to: prefix), place: place)
        }

        /// A key under its full name.
        @inlinable
        func key<Value>(_ path: KeyPath<Keys, Key<Value>>) -> Key<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }

        /// A key of either kind under its full name.
        func typedKey<Value>(_ path: KeyPath<Keys, some TypedKey<Value>>) -> TypedKey<Value> {
            keys[keyPath: path].typedVariant(prefixedBy: prefix)
        }

        /// A key of any type under its full name.
        func anyKey(_ path: KeyPath<Keys, some AnyKey>) -> AnyKey {
            keys[keyPath: path].untypedVariant(prefixedBy: prefix)
        }

        /// A key of the group, in the place of the group.
        package func tracked<Value>(_ path: KeyPath<Keys, Key<Value>>) -> TrackedKey<Value> {
            TrackedKey(key(path), in: place)
        }
    }
}
