#if canImport(Combine)
internal import Combine
internal import KeyspanCore

/// Publishes what an observation hears; each subscriber has an observation of its own.
struct ObservationPublisher<Output>: Publisher {
    typealias Failure = Never

    /// Registers a handler.
    let observe: (@escaping (Output) -> Void) -> any Defaults.Observation

    func receive<Receiver: Subscriber>(subscriber: Receiver) where Receiver.Input == Output, Receiver.Failure == Never {
        let observation = DemandedObservation<Output> { Demand(subscriber.receive($0)) }
        subscriber.receive(subscription: ObservationSubscription(observation))
        observation.begin(observe)
    }
}
#endif
