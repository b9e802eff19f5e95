import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// Devices with several stores each and a clock of few ticks against a simple model: the newest write wins.
@Suite struct SynchronizationModelTests {
    /// The time of all devices, which stands still while several of them write.
    private final class Clock: Sendable {
        let tick = Locked(1)

        var date: Date { Date(timeIntervalSinceReferenceDate: Double(tick.withLock(\.self))) }
    }

    /// A store of a device, and what keeps it the same as the device's copy of the cloud while the program runs.
    private final class Place {
        let store = InMemoryStore()
        let copy: InMemoryStore
        let clock: Clock
        var synchronizer: StoreSynchronizer?

        init(copy: InMemoryStore, clock: Clock) {
            self.copy = copy
            self.clock = clock
            start()
        }

        func start() {
            guard synchronizer == nil else { return }
            let synchronizer = StoreSynchronizer(store, with: copy) { [clock] in clock.date }
            synchronizer.add(Set(SynchronizationModelTests.names))
            self.synchronizer = synchronizer
        }

        func stop() { synchronizer = nil }
    }

    /// The values of one name in the newest tick in which any device wrote it: the last write of each device.
    private struct Newest {
        var tick = 0
        var values: [Int: PropertyListValue?] = [:]

        mutating func note(_ value: PropertyListValue?, by place: Int, at tick: Int) {
            if tick > self.tick { values = [:] }
            self.tick = tick
            values[place] = .some(value)
        }

        /// Whether this is what may be left: of several writes in one tick, nobody can say which one was the last.
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

    @Test(.timeLimit(.minutes(20)), arguments: (0 as UInt64)..<TestLevel.current.pick(75, thorough: 300))
    func `the newest write wins, and all stores end up equal`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let clock = Clock()
        let cloud = CloudModel(devices: Int.random(in: 2...4, using: &generator))
        let places = cloud.copies.flatMap { copy in
            (0..<Int.random(in: 1...2, using: &generator)).map { _ in Place(copy: copy, clock: clock) }
        }
        var newest: [String: Newest] = [:]
        for number in 1...Int.random(in: 10...80, using: &generator) {
            // Most writes share their tick with others.
            if Int.random(in: 0..<4, using: &generator) == 0 { clock.tick.withLock { $0 += 1 } }
            let index = Int.random(in: 0..<places.count, using: &generator)
            let place = places[index]
            switch Int.random(in: 0..<10, using: &generator) {
            // Values that are written while the program does not run have no date.
            case 0: place.stop()
            case 1...2: place.start()
            default:
                guard place.synchronizer != nil else { continue }
                let name = Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
                let isRemoval = Int.random(in: 0..<5, using: &generator) == 0
                let value = isRemoval ? nil : Self.randomValue(number, using: &generator)
                // Removing an absent key writes nothing.
                guard value != place.store.value(forKey: name) else { continue }
                newest[name, default: Newest()].note(value, by: index, at: clock.tick.withLock(\.self))
                place.store.set(value, forKey: name)
            }
            while cloud.messageCount > 0, Int.random(in: 0..<3, using: &generator) == 0 {
                try cloud.deliverOne(using: &generator)
            }
        }
        for place in places {
            place.start()
        }
        // As much later as a device likes that was switched off.
        clock.tick.withLock { $0 += 1_000 }
        for _ in 0..<10_000 where cloud.messageCount > 0 {
            try cloud.deliverOne(using: &generator)
        }
        #expect(cloud.messageCount == 0, "seed \(seed): changes travel without end")
        for name in Self.names {
            let values = places.map { $0.store.value(forKey: name) }
            #expect(Set(values).count == 1, "seed \(seed): \(name) is not the same everywhere: \(values)")
            let isNewest = newest[name, default: Newest()].allows(values[0])
            #expect(isNewest, "seed \(seed): \(name) is \(values[0] as Any), not of \(newest[name] as Any)")
        }
        for copy in cloud.copies {
            #expect(copy.snapshot() == cloud.server, "seed \(seed)")
        }
    }
}
