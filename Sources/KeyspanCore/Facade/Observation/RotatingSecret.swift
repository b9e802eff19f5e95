extension Defaults {
    /// A secret of which the former values stay valid until the program acknowledges that it does not need them anymore.
    ///
    /// A rotated secret has two values for a while: peers, tokens and open connections still use the old one. A service that checks
    /// what others sign or send accepts either:
    ///
    /// ```swift
    /// let signingKey = Defaults.Key<String?>("webhook.key").secret()
    /// let secret = Defaults.RotatingSecret(signingKey, in: Defaults(InMemoryStore()))
    ///
    /// func isAuthentic(_ payload: [UInt8], signature: [UInt8], verify: (String, [UInt8], [UInt8]) -> Bool) -> Bool {
    ///     secret.accepts { key in verify(key, payload, signature) }
    /// }
    ///
    /// func retireOldKeys() async throws {
    ///     for await rotation in secret.rotations() {
    ///         try await Task.sleep(for: .seconds(3600))
    ///         rotation.acknowledge()
    ///     }
    /// }
    /// ```
    ///
    /// - A value that the key cannot read in full, or that breaks a rule of the key, does not become the current one. It is reported,
    ///   and the values before it stay as they are.
    /// - A value that is removed from the store is superseded like any other: ``current`` is the key's default then, and the removed value
    ///   is valid until the rotation is acknowledged.
    /// - A value that comes back is the current one again, and no acknowledgment of an earlier rotation ends it.
    /// - Former values are not limited in number or time. A program that never acknowledges accepts all values that it has ever seen.
    ///
    /// Values are compared in their stored form. Each object has its own former values, so two parts of a program that stop using an old
    /// value at different times have one each. Safe to use from any thread; no member waits for another thread. Descriptions and mirrors
    /// contain no value.
    public final class RotatingSecret<Value: Sendable>: Sendable {
        private let history: SecretHistory<Value>
        private let observation: StoreObservation

        /// Follows a key in a store from now on.
        ///
        /// - Parameters:
        ///   - key: The key, usually one that is marked with ``Key/secret()``.
        ///   - defaults: The store.
        public init(_ key: Key<Value?>, in defaults: Defaults) {
            let history = SecretHistory<Value>(name: key.name)
            self.history = history
            observation = key.observeStored(in: defaults.store, initial: true) { [store = defaults.store] change in
                guard let value = key.intactValue(of: change.new, in: store) else {
                    if change.isInitial { history.begin(key.defaultValue, from: nil) }
                    return
                }
                if change.isInitial {
                    history.begin(value, from: change.new)
                } else {
                    history.replaceCurrent(by: value, from: change.new)
                }
            }
        }

        /// The value to use from now on; the key's default if the store has none.
        public var current: Value? { history.current }

        /// The former values that are still valid, the newest first.
        ///
        /// A rotation between reads of this and of ``current`` can hide a value from both; ``accepts(_:)`` examines all at one instant.
        public var previous: [Value] { history.previous }

        /// The last rotation, unless it is acknowledged.
        public var pendingRotation: Rotation? { history.pendingRotation(after: 0) }

        /// Whether a valid value satisfies a condition: first the current one is examined, then the former ones, the newest first.
        ///
        /// Compare secrets in constant time, as the functions of cryptographic libraries do that check a signature or a code.
        ///
        /// - Parameter condition: Called without any lock, until it returns `true` or throws.
        public func accepts<Failure: Error>(_ condition: (Value) throws(Failure) -> Bool) throws(Failure) -> Bool {
            for value in history.validValues where try condition(value) { return true }
            return false
        }

        /// The rotations that are not acknowledged yet, from now on.
        ///
        /// One that happened before this call comes at once. A reader that is slower than the rotations gets the last one of them only,
        /// whose acknowledgment includes those before it. The sequence ends when the task that reads it is canceled, and keeps the secret
        /// alive until then. Each call makes a sequence of its own, for one reader.
        public func rotations() -> some AsyncSequence<Rotation, Never> & Sendable {
            let signals = AsyncStream<Void>(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let number = history.addReader { continuation.yield() }
                // The closure keeps the registration at the store for as long as the sequence is read.
                continuation.onTermination = { [self] _ in history.removeReader(number) }
                continuation.yield()
            }
            let last = Locked<UInt64>(0)
            return signals.compactMap { [history] _ in
                last.withLock { last in
                    guard let pending = history.pendingRotation(after: last) else { return nil }
                    last = pending.generation
                    return pending
                }
            }
        }

        /// A change of a secret, of which the former values stay valid until it is acknowledged.
        public struct Rotation: Sendable {
            /// The former value, the newest of several; `nil` if there was none.
            public let old: Value?
            /// The current value; `nil` if the secret was removed and its key has no default.
            public let new: Value?
            fileprivate let generation: UInt64
            fileprivate let history: SecretHistory<Value>

            /// Ends the validity of all values that this rotation and those before it have superseded.
            ///
            /// A value that a later rotation has superseded stays valid until that one is acknowledged. Further calls do nothing.
            public func acknowledge() {
                history.acknowledge(generation)
            }
        }
    }
}

/// The values of a rotating secret, which rotations retain without the registration at the store.
private final class SecretHistory<Value: Sendable>: Sendable {
    typealias Rotation = Defaults.RotatingSecret<Value>.Rotation

    private struct Superseded {
        let value: Value
        let stored: StoredValue?
        /// The number of the rotation that has superseded it.
        let generation: UInt64
    }

    private struct State {
        var current: Value?
        var stored: StoredValue?
        /// The newest first.
        var superseded: [Superseded] = []
        /// The number of rotations so far.
        var generation: UInt64 = 0
        var acknowledged: UInt64 = 0
        var readers: [Int: @Sendable () -> Void] = [:]
        var nextReader = 0
    }

    let name: String
    private let state = Locked(State())

    init(name: String) {
        self.name = name
    }

    var current: Value? { state.withLock(\.current) }
    var previous: [Value] { state.withLock { $0.superseded.map(\.value) } }
    var validValues: [Value] { state.withLock { [$0.current].compactMap(\.self) + $0.superseded.map(\.value) } }

    /// Sets the value at the time of registration.
    func begin(_ value: Value?, from stored: StoredValue?) {
        state.withLock { ($0.current, $0.stored) = (value, stored) }
    }

    /// Notes a rotation, unless the form is the current one, as after a damaged value was repaired.
    func replaceCurrent(by value: Value?, from stored: StoredValue?) {
        // Released after the lock, because a value may be an object whose `deinit` is the program's.
        let (readers, ended) = state.withLock { state -> ([@Sendable () -> Void], [Superseded]) in
            if state.stored == stored { return ([], []) }
            state.generation += 1
            if let old = state.current {
                let superseded = Superseded(value: old, stored: state.stored, generation: state.generation)
                state.superseded.insert(superseded, at: 0)
            }
            (state.current, state.stored) = (value, stored)
            let ended = state.superseded.filter { $0.stored == stored }
            state.superseded.removeAll { $0.stored == stored }
            return (Array(state.readers.values), ended)
        }
        withExtendedLifetime(ended) {}
        for signal in readers { signal() }
    }

    func acknowledge(_ generation: UInt64) {
        // Released after the lock, because a value may be an object whose `deinit` is the program's.
        let ended = state.withLock { state -> [Superseded] in
            state.acknowledged = max(state.acknowledged, generation)
            let ended = state.superseded.filter { $0.generation <= generation }
            state.superseded.removeAll { $0.generation <= generation }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    /// The last rotation if it is neither acknowledged nor known; `nil` otherwise.
    func pendingRotation(after known: UInt64) -> Rotation? {
        state.withLock { state in
            guard state.generation > max(state.acknowledged, known) else { return nil }
            return Rotation(
                old: state.superseded.first?.value,
                new: state.current,
                generation: state.generation,
                history: self
            )
        }
    }

    func addReader(_ signal: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = signal
            return state.nextReader
        }
    }

    func removeReader(_ number: Int) {
        // Released after the lock, because the signal retains the stream.
        let signal = state.withLock { $0.readers.removeValue(forKey: number) }
        withExtendedLifetime(signal) {}
    }
}

extension Defaults.Key {
    /// The value of a stored form, or the default of an absent one; `nil` for one that the key cannot read in full, or that breaks a
    /// rule, which is reported.
    fileprivate func intactValue<Wrapped>(of stored: StoredValue?, in store: any PropertyListStore) -> Value?
    where Value == Wrapped? {
        guard let stored else { return .some(defaultValue) }
        var isWhole = false
        guard let value = readableValue(of: stored, in: store, isWhole: &isWhole), isWhole else { return nil }
        return .some(value)
    }
}

// MARK: - Descriptions without values

extension Defaults.RotatingSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the key and the number of former values, without any value.
    public var description: String {
        "the rotating secret \(history.name.quoted) with \(history.previous.count) former values"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Defaults.RotatingSecret.Rotation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the key and the number of the rotation, without any value.
    public var description: String { "rotation \(generation) of the secret \(history.name.quoted)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
