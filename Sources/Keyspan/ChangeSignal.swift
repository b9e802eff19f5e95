/// Tells one reader that keys changed, which may be in several stores.
final class ChangeSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let observations: [StoreObservation]

    /// Registers at the stores of the keys.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - initial: Whether there is a signal at once.
    init(of keys: [Defaults.AnyKey], initial: Bool) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        if initial { continuation.yield() }
        let stores = Dictionary(grouping: keys) { ObjectIdentifier($0.defaults.store) }.values
        observations = stores.compactMap { keys -> StoreObservation? in
            let entries = ObservedKeys.entries(of: keys)
            return keys.first?.defaults.store.observe(entries, initial: false) { _ in continuation.yield() }
        }
    }

    /// Waits for a change.
    ///
    /// - Returns: `false` if the waiting task was cancelled.
    func next() async -> Bool {
        for await _ in stream {
            return true
        }
        return false
    }
}
