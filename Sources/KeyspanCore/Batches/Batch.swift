extension Defaults {
    /// Several writes that take effect together; what the closures of ``update(_:)`` and ``commit(_:)`` get.
    ///
    /// Reading gives what the batch has written, and else the state of the store in which the batch began.
    public struct Batch: ~Copyable {
        var edit: PropertyListEdit
        private(set) var failure: WriteError?

        private let store: any PropertyListStore

        init(_ edit: PropertyListEdit, of store: any PropertyListStore) {
            self.edit = edit
            self.store = store
        }

        /// A batch without writes that began in the same state.
        func makeEmpty() -> Batch {
            Batch(PropertyListEdit(edit.base), of: store)
        }

        /// The value of a key as it will be.
        ///
        /// A value that cannot be written makes the whole batch fail.
        public subscript<Value>(key: Key<Value>) -> Value {
            mutating get {
                key.decode(key.coding.stored(under: key.name, in: &edit), of: store)
            }
            set {
                do {
                    try set(newValue, for: key)
                } catch {
                    failure = failure ?? error
                }
            }
        }

        /// The value of a key as it will be; an error if there is one that cannot be read.
        ///
        /// - Throws: ``ReadError``, as ``Defaults/value(for:)``.
        public mutating func value<Value>(for key: Key<Value>) throws(ReadError) -> Value {
            try key.decodeStrictly(key.coding.stored(under: key.name, in: &edit), of: store) ?? key.defaultValue
        }

        /// Adds a write, or throws and leaves the batch as it was.
        ///
        /// - Throws: ``WriteError`` if the value has no stored form or breaks a rule of the key.
        public mutating func set<Value>(_ value: Value, for key: Key<Value>) throws(WriteError) {
            do {
                try key.write(value, into: &edit)
            } catch {
                throw WriteError(key: key.name, store: store.name, cause: error)
            }
        }

        /// Adds the removal of the values of these keys, so that each has its default again.
        public mutating func reset(_ keys: AnyKey...) {
            reset(keys)
        }

        /// Adds the removal of the values of these keys, so that each has its default again.
        public mutating func reset(_ keys: [AnyKey]) {
            for key in keys {
                key.untyped.remove(from: &edit)
            }
        }

        /// Adds the removal of all values, also those that no key of yours names; see ``Defaults/removeAll()``.
        public mutating func removeAll() {
            edit.removeAllButRecord()
        }
    }
}
