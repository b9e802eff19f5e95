import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Devices that write at any time, with changes that take any time, against a simple model: the newest write wins.
@Suite(.heavy, .seeded) struct SynchronizationModelTests {
    /// A store of a device, and what keeps it the same as the device's copy of the cloud while the program runs.
    private final class Place {
        let store = InMemoryStore()
        private let copy: InMemoryStore
        private let date: @Sendable () -> Date
        private(set) var synchronizer: StoreSynchronizer?

        init(copy: InMemoryStore, clock: TestClock, clockError: Double) {
            self.copy = copy
            date = { clock.now.addingTimeInterval(clockError) }
            start()
        }

        func start() {
            stop()
            synchronizer = StoreSynchronizer(store, with: copy) { [date] in date() }
            synchronizer?.add(Set(SynchronizationModelTests.names))
        }

        func stop() { synchronizer = nil }

        var values: [PropertyListValue?] { SynchronizationModelTests.names.map { store.value(forKey: $0) } }
    }

    /// The values of one name at the newest time at which any device wrote it: the last write of each place.
    private struct Newest {
        var time = Date.distantPast
        var values: [Int: PropertyListValue?] = [:]

        mutating func note(_ value: PropertyListValue?, by place: Int, at time: Date) {
            if time > self.time { values = [:] }
            self.time = time
            values[place] = .some(value)
        }

        /// Whether this is what may be left: of several writes at one time, nobody can say which one was the last.
        func allows(_ value: PropertyListValue?) -> Bool {
            values.isEmpty ? value == nil : values.values.contains(value)
        }
    }

    private static let names = ["a", "b"]

    /// The values on all devices: they differ in kind, length and order.
    private static func randomValue(_ number: Int, using generator: inout SeededGenerator) -> PropertyListValue {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: PropertyListValue(number)
        case 1: PropertyListValue(-number)
        case 2: .real(Double(number) / 8)
        case 3: .string("\(number)")
        case 4: [PropertyListValue(number)]
        default: ["number": PropertyListValue(number)]
        }
    }

    @Test(arguments: [true, false])
    func `all stores end up equal, and the newest write wins if all clocks are right`(areClocksRight: Bool) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(50, thorough: 300)) {
            try check(areClocksRight: areClocksRight, seed: seed)
        }
    }

    private func check(areClocksRight: Bool, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let clock = TestClock(Date(timeIntervalSinceReferenceDate: 1_000))
        let cloud = CloudModel(devices: Int.random(in: 2...4, using: &generator))
        let places = cloud.copies.flatMap { copy in
            let clockError = areClocksRight ? 0 : Double.random(in: -50...50, using: &generator)
            return (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                Place(copy: copy, clock: clock, clockError: clockError)
            }
        }
        var newest: [String: Newest] = [:]
        for number in 1...Int.random(in: 10...80, using: &generator) {
            // Most writes share their time with others.
            if Int.random(in: 0..<4, using: &generator) == 0 { clock.advance(by: 1) }
            let index = Int.random(in: 0..<places.count, using: &generator)
            let place = places[index]
            func set(_ value: PropertyListValue?, _ name: String) {
                // Values that are written while the program does not run have no date. Removing an absent key writes nothing.
                guard !areClocksRight || place.synchronizer != nil, value != place.store.value(forKey: name) else {
                    return
                }
                newest[name, default: Newest()].note(value, by: index, at: clock.now)
                place.store.set(value, forKey: name)
            }
            let name = Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: place.stop()
            case 1...2: place.start()
            case 3: for name in Self.names { set(nil, name) }
            case 4: set(nil, name)
            default: set(Self.randomValue(number, using: &generator), name)
            }
            while cloud.messageCount > 0, Int.random(in: 0..<3, using: &generator) == 0 {
                try cloud.deliverOne(using: &generator)
            }
        }
        for place in places { place.start() }
        // As much later as a device likes that was switched off.
        clock.advance(by: 1_000)
        // More deliveries than that would be an echo.
        for _ in 0..<10_000 where cloud.messageCount > 0 { try cloud.deliverOne(using: &generator) }
        try #require(cloud.messageCount == 0, "seed \(seed): changes travel without end")
        for place in places { try #require(place.values == places[0].values, "seed \(seed)") }
        for copy in cloud.copies { try #require(copy.snapshot() == cloud.server, "seed \(seed)") }
        guard areClocksRight else { return }
        for (name, value) in zip(Self.names, places[0].values) {
            let isNewest = newest[name, default: Newest()].allows(value)
            try #require(isNewest, "seed \(seed): \(name) is \(value as Any), not of \(newest[name] as Any)")
        }
    }
}
