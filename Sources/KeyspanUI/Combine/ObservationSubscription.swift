#if canImport(Combine)
internal import Combine

/// What a subscriber asks for more of, and ends.
final class ObservationSubscription<Element>: Subscription {
    private let observation: DemandedObservation<Element>

    init(_ observation: DemandedObservation<Element>) {
        self.observation = observation
    }

    func request(_ demand: Subscribers.Demand) {
        observation.request(Demand(demand))
    }

    func cancel() {
        observation.end()
    }
}

extension Demand {
    /// The demand of a subscriber.
    init(_ demand: Subscribers.Demand) {
        self = demand.max.map(Demand.max) ?? .unlimited
    }
}
#endif
