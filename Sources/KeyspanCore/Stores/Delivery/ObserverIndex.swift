internal import Synchronization

/// The observers of one store by the stripes of the keys that they observe, so that a change looks only at those that it may
/// concern.
struct ObserverIndex {
    typealias Queue = DeliveryQueue<PropertyListChange>

    private struct Observer {
        /// Grows with each registration, because observers are called in the order in which they were registered.
        let number: UInt64
        let keys: ObservedKeys
        let queue: Queue
    }

    // One list for each position of a stripe, that of all keys included; none before the first registration.
    private var lists: [[Observer]] = []
    private var registrations: UInt64 = 0

    /// Adds an observer, and the stripes of its keys to a set.
    mutating func add(_ queue: Queue, of keys: ObservedKeys, _ observed: borrowing StripeSet) {
        if lists.isEmpty { lists = Array(repeating: [], count: KeyStripe.end) }
        registrations += 1
        for stripe in keys.stripes {
            lists[stripe.index].append(Observer(number: registrations, keys: keys, queue: queue))
            observed.insert(stripe)
        }
    }

    /// Removes an observer, and the stripes that nobody observes anymore from a set.
    mutating func remove(_ queue: Queue, of keys: ObservedKeys, _ observed: borrowing StripeSet) {
        for stripe in keys.stripes {
            lists[stripe.index].removeAll { $0.queue === queue }
            if lists[stripe.index].isEmpty { observed.remove(stripe) }
        }
    }

    /// Calls the body for each observer that a change concerns, in the order of registration, with the part that concerns it.
    func forEach(concernedBy change: PropertyListChange, _ body: (Queue, PropertyListChange) -> Void) {
        for observer in candidates(for: change) {
            if let part = observer.keys.filter(change) { body(observer.queue, part) }
        }
    }

    /// The observers in the stripes of the changed keys, each once, in the order of registration.
    private func candidates(for change: PropertyListChange) -> [Observer] {
        if lists.isEmpty { return [] }
        // Most changes are of one key that observers of one kind observe.
        if case .one(let entry) = change.storage, !change.isInsideDictionaries {
            let stripe = KeyStripe(of: entry.key)
            if lists[KeyStripe.all.index].isEmpty { return lists[stripe.index] }
            if lists[stripe.index].isEmpty { return lists[KeyStripe.all.index] }
        }
        let stripes = change.stripes?.union([.all]) ?? Set(KeyStripe.allCases)
        let sorted = stripes.flatMap { lists[$0.index] }.sorted { $0.number < $1.number }
        return sorted.indices.filter { $0 == 0 || sorted[$0].number != sorted[$0 - 1].number }.map { sorted[$0] }
    }
}

extension ObservedKeys {
    /// The stripes of the keys, each once.
    fileprivate var stripes: Set<KeyStripe> {
        switch self {
        case .all: [.all]
        case .named(let names): Set(names.map { KeyStripe(of: $0.wrappedValue) })
        }
    }
}

/// A set of stripes, which one thread at a time changes and any thread reads.
struct StripeSet: ~Copyable, Sendable {
    private let count = Atomic(0)
    // One bit for each position of a stripe.
    private let bits0 = Atomic<UInt64>(0)
    private let bits1 = Atomic<UInt64>(0)
    private let bits2 = Atomic<UInt64>(0)
    private let bits3 = Atomic<UInt64>(0)

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    func contains(_ stripe: KeyStripe) -> Bool {
        let bits =
            switch stripe.index >> 6 {
            case 0: bits0.load(ordering: .relaxed)
            case 1: bits1.load(ordering: .relaxed)
            case 2: bits2.load(ordering: .relaxed)
            default: bits3.load(ordering: .relaxed)
            }
        return bits & Self.bit(of: stripe) != 0
    }

    func insert(_ stripe: KeyStripe) {
        if !contains(stripe) { change(stripe, countBy: 1) }
    }

    func remove(_ stripe: KeyStripe) {
        if contains(stripe) { change(stripe, countBy: -1) }
    }

    private func change(_ stripe: KeyStripe, countBy difference: Int) {
        let bit = Self.bit(of: stripe)
        switch stripe.index >> 6 {
        case 0: bits0.bitwiseXor(bit, ordering: .relaxed)
        case 1: bits1.bitwiseXor(bit, ordering: .relaxed)
        case 2: bits2.bitwiseXor(bit, ordering: .relaxed)
        default: bits3.bitwiseXor(bit, ordering: .relaxed)
        }
        count.wrappingAdd(difference, ordering: .relaxed)
    }

    private static func bit(of stripe: KeyStripe) -> UInt64 { 1 << UInt64(stripe.index & 63) }
}
