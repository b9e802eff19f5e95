/// What keeps the registrations alive that are tied to the lifetime of an object.
///
/// The table grows with the registrations and is searched for those whose objects are gone each time it has doubled, so a
/// registration costs a constant number of steps on average.
final class TiedObservations: Sendable {
    static let shared = TiedObservations()

    private struct State {
        var observations: [ObjectIdentifier: KeyObservation] = [:]
        var limit = TiedObservations.minimumLimit
    }

    private static let minimumLimit = 16

    private let state = Locked(State())

    /// The number of registrations held.
    var count: Int { state.withLock(\.observations.count) }

    /// Holds a registration until ``release(_:)``.
    func keep(_ observation: KeyObservation) {
        let isFull = state.withLock { state in
            state.observations[ObjectIdentifier(observation)] = observation
            return state.observations.count > state.limit
        }
        if isFull { sweep() }
    }

    /// Lets a registration go.
    func release(_ observation: KeyObservation) {
        // Returned from the lock, so that what the registration holds is not released under it.
        _ = state.withLock { $0.observations.removeValue(forKey: ObjectIdentifier(observation)) }
    }

    private func sweep() {
        for observation in state.withLock({ Array($0.observations.values) }) {
            observation.endIfTiedObjectIsGone()
        }
        state.withLock { $0.limit = max(Self.minimumLimit, 2 * $0.observations.count) }
    }
}
