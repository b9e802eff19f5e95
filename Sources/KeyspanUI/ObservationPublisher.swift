#if canImport(Combine)
internal import Combine
internal import KeyspanCore

/// Publishes the elements of an observation; each subscriber has its own observation.
struct ObservationPublisher<Output>: Publisher {
    typealias Failure = Never

    /// Registers a handler.
    let observe: (@escaping (Output) -> Void) -> any Defaults.Observation

    func receive<Receiver: Subscriber>(subscriber: Receiver) where Receiver.Input == Output, Receiver.Failure == Never {
        let observation = DemandedObservation<Output> { Demand(subscriber.receive($0)) }
        subscriber.receive(subscription: ObservationSubscription(observation: observation))
        observation.begin(observe)
    }
}

/// The subscription of one subscriber.
private final class ObservationSubscription<Element>: Subscription {
    private let observation: DemandedObservation<Element>

    init(observation: DemandedObservation<Element>) {
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
    fileprivate init(_ demand: Subscribers.Demand) {
        self = demand.max.map(Demand.max) ?? .unlimited
    }
}
#endif
