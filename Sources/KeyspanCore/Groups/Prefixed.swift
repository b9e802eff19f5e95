extension Defaults {
    /// A group inside another one, whose keys have a prefix before their names.
    ///
    /// ```swift
    /// struct LimitKeys: KeyGroup {
    ///     let requests = Key<Int>("requests", default: 100)
    /// }
    ///
    /// struct APIKeys: KeyGroup {
    ///     let reading = Prefixed<LimitKeys>("reading.")
    ///     let writing = Prefixed<LimitKeys>("writing.")
    /// }
    ///
    /// let keys = APIKeys()
    /// assert(keys.writing.requests.name == "writing.requests")
    /// ```
    ///
    /// The prefix is put before the names as it is, without a dot of its own. Prefixes of groups inside groups add up.
    /// The members of the group are the members of this; its keys have their full names, and are the same ones each time.
    @dynamicMemberLookup
    public struct Prefixed<Keys: KeyGroup>: Sendable {
        @usableFromInline let keys: Keys
        @usableFromInline let prefix: Prefix

        /// Makes a group whose names get a prefix.
        public init(_ prefix: String) {
            self.init(Keys(), prefix: Prefix(prefix))
        }

        init(_ keys: Keys, prefix: Prefix) {
            self.keys = keys
            self.prefix = prefix
        }

        /// A key of the group, under its full name.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Key<Value>>) -> Key<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }

        /// A key of the group that throws, under its full name.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, ThrowingKey<Value>>) -> ThrowingKey<Value> {
            keys[keyPath: path].key.prefixed(by: prefix).throwing()
        }

        /// A group inside the group, with the same prefix.
        public subscript<Nested: KeyGroup>(dynamicMember path: KeyPath<Keys, Nested>) -> Prefixed<Nested> {
            Prefixed<Nested>(keys[keyPath: path], prefix: prefix)
        }

        /// A group with a prefix inside the group, with both prefixes.
        public subscript<Nested>(dynamicMember path: KeyPath<Keys, Prefixed<Nested>>) -> Prefixed<Nested> {
            let nested = keys[keyPath: path]
            return Prefixed<Nested>(nested.keys, prefix: nested.prefix.appended(to: prefix))
        }
    }
}
