extension PropertyListBatch {
    /// An operation in the form in which stores apply it, with the note and the stripe of its key.
    package struct Write: Sendable {
        /// The key; empty for the removal of all keys.
        package let key: String
        /// The value; `nil` for a removal.
        package let value: PropertyListValue?
        /// The note of the state that the write leads to; `nil` unless a key writes its value.
        let note: WrittenState?
        /// The stripe of the key, or of all.
        let stripe: KeyStripe
        /// Whether the present state has to be the noted one, in place of an expectation.
        let expectsNotedState: Bool

        init(_ operation: Operation) {
            switch operation {
            case .set(let value, let key): self.init(value, forKey: key)
            case .remove(let key): self.init(nil, forKey: key)
            case .removeAll: self = .removalOfAll
            }
        }

        /// Makes the write of a value, or the removal of the key for `nil`.
        init(_ value: PropertyListValue?, forKey key: String) {
            self.init(key: key, value: value, note: nil, stripe: KeyStripe(of: key), expectsNotedState: false)
        }

        /// Makes the write of a key's value, or the removal of the key for `nil`.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - key: The name of the key.
        ///   - note: The note of the key.
        ///   - expectsNotedState: Whether the present state has to be the noted one.
        init(
            _ value: PropertyListValue?,
            forKey key: String,
            noting note: WrittenState,
            expectingNotedState expectsNotedState: Bool = false
        ) {
            self.init(key: key, value: value, note: note, stripe: note.stripe, expectsNotedState: expectsNotedState)
        }

        private init(
            key: String,
            value: PropertyListValue?,
            note: WrittenState?,
            stripe: KeyStripe,
            expectsNotedState: Bool
        ) {
            self.key = key
            self.value = value
            self.note = note
            self.stripe = stripe
            self.expectsNotedState = expectsNotedState
        }

        /// The removal of all keys.
        static var removalOfAll: Write {
            Write(key: "", value: nil, note: nil, stripe: .all, expectsNotedState: false)
        }

        /// Whether the write removes all keys.
        package var removesAll: Bool { stripe == .all }

        /// Whether the write stores a value.
        var storesValue: Bool { if case .some = value { true } else { false } }

        /// Whether the value is nested deeper than any store allows.
        var isNestedTooDeep: Bool {
            switch value {
            case .array?, .dictionary?: value?.isNestedDeeper() ?? false
            default: false
            }
        }

        /// The write as an operation.
        var operation: Operation {
            if removesAll { return .removeAll }
            return value.map { .set($0, key: key) } ?? .remove(key: key)
        }

        /// The same write with another value.
        func replacing(value: PropertyListValue) -> Write {
            Write(key: key, value: value, note: note, stripe: stripe, expectsNotedState: expectsNotedState)
        }

        /// Whether the write decides what a key has: it writes that key, or removes all.
        func decides(_ key: String) -> Bool {
            removesAll || self.key.hasSameUTF8(as: key)
        }
    }

    /// The writes of a batch in their order, the first one without an array: most batches have no other.
    package struct Writes: Sendable {
        /// The first write, if there is one.
        ///
        /// It is not an optional, because looking into one would copy the write.
        package private(set) var first: Write

        private var later: [Write] = []

        /// The number of writes.
        package private(set) var count: Int

        /// Whether a write expects the noted state, in place of the value that it replaces.
        private(set) var expectsNotedStates: Bool

        /// Makes a list of no writes.
        init() {
            first = .removalOfAll
            count = 0
            expectsNotedStates = false
        }

        /// Makes a list of one write.
        init(_ write: Write) {
            expectsNotedStates = write.expectsNotedState
            first = write
            count = 1
        }

        /// Whether there are none.
        package var isEmpty: Bool { count == 0 }

        /// The write at a position.
        subscript(position: Int) -> Write { position == 0 ? first : later[position - 1] }

        /// Adds a write.
        mutating func append(_ write: consuming Write) {
            if write.expectsNotedState { expectsNotedStates = true }
            if count == 0 { first = write } else { later.append(write) }
            count += 1
        }

        /// Looks at each write.
        package func forEach<Failure: Error>(_ body: (borrowing Write) throws(Failure) -> Void) throws(Failure) {
            if count == 0 { return }
            try body(first)
            if count == 1 { return }
            // In place, because an iterator copies each write.
            try later.withUnsafeBufferPointer { (later) throws(Failure) in
                for position in later.indices { try body(later[position]) }
            }
        }

        /// Whether there is a removal of all keys.
        package var removesAll: Bool {
            !isEmpty && (first.removesAll || later.contains { $0.removesAll })
        }

        /// Whether no key is written twice, and all are so few that comparing them is cheap.
        var areOfFewKeysOnce: Bool {
            if count == 1 { return !first.removesAll }
            if count > 8 || removesAll { return false }
            for position in 0..<count {
                for earlier in 0..<position where stripe(at: earlier) == stripe(at: position) {
                    if self[earlier].decides(self[position].key) { return false }
                }
            }
            return true
        }

        private func stripe(at position: Int) -> KeyStripe {
            position == 0 ? first.stripe : later[position - 1].stripe
        }

        /// The last write that decides a key; `nil` if none does.
        func last(deciding key: String) -> Write? {
            if let write = later.last(where: { $0.decides(key) }) { return write }
            return !isEmpty && first.decides(key) ? first : nil
        }

        /// The key of the first write that satisfies a condition.
        func firstKey(where isMeant: (borrowing Write) -> Bool) -> String? {
            var key: String?
            forEach { if key == nil, isMeant($0) { key = $0.key } }
            return key
        }

        /// Where the last write of each key is, apart from those before a removal of all keys.
        var positions: TextDictionary<Int> {
            var positions: TextDictionary<Int> = [:]
            for position in 0..<count {
                let write = self[position]
                if write.removesAll { positions = [:] } else { positions[write.key] = position }
            }
            return positions
        }
    }
}
