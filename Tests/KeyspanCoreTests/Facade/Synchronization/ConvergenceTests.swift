import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// Devices that write at any time, with changes that take any time, end up equal.
@Suite struct ConvergenceTests {
    /// One device: its store, its copy of the cloud, a clock of its own, and a synchronizer while the program runs.
    private final class Device {
        let store = InMemoryStore()
        let copy: InMemoryStore
        let clockError: Double
        let clock: Clock
        var synchronizer: StoreSynchronizer?

        init(copy: InMemoryStore, clockError: Double) {
            self.copy = copy
            self.clockError = clockError
            clock = Clock(clockError)
        }

        func start() {
            let synchronizer = StoreSynchronizer(store, with: copy) { [clock] in
                Date(timeIntervalSinceReferenceDate: clock.time.withLock(\.self))
            }
            synchronizer.add(Set(ConvergenceTests.names))
            self.synchronizer = synchronizer
        }

        func stop() { synchronizer = nil }

        var values: [PropertyListValue?] { ConvergenceTests.names.map { store.value(forKey: $0) } }
    }

    private final class Clock: Sendable {
        let time: Locked<Double>

        init(_ time: Double) {
            self.time = Locked(time)
        }
    }

    private static let names = ["a", "b", "c"]

    private func arrange(_ count: Int, clockErrors: [Double]) -> (CloudModel, [Device]) {
        let cloud = CloudModel(devices: count)
        let devices = zip(cloud.copies, clockErrors).map { Device(copy: $0, clockError: $1) }
        for device in devices {
            device.start()
        }
        return (cloud, devices)
    }

    /// Delivers what is on its way until nothing is; more deliveries than that would be an echo.
    private func settle(_ cloud: CloudModel, using generator: inout SeededGenerator) throws {
        for _ in 0..<10_000 where cloud.messageCount > 0 {
            try cloud.deliverOne(using: &generator)
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: (0 as UInt64)..<TestLevel.current.pick(50, thorough: 200))
    func `devices with any clocks end up equal`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...3, using: &generator)
        let (cloud, devices) = arrange(
            count,
            clockErrors: (0..<count).map { _ in .random(in: -50...50, using: &generator) }
        )
        var time = 1000.0
        for number in 0..<Int.random(in: 5...60, using: &generator) {
            // Now and then two writes have the same time.
            time += Double(Int.random(in: 0...3, using: &generator))
            let device = devices[Int.random(in: 0..<count, using: &generator)]
            device.clock.time.withLock { $0 = time + device.clockError }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...4: device.store.set(number, forKey: Self.names[Int.random(in: 0..<3, using: &generator)])
            case 5: device.store.removeObject(forKey: Self.names[Int.random(in: 0..<3, using: &generator)])
            case 6: device.store.removeAll()
            // A program ends, and begins again; between the two its store may be written.
            case 7: device.stop()
            case 8: device.start()
            default: break
            }
            while cloud.messageCount > 0, Bool.random(using: &generator) {
                try cloud.deliverOne(using: &generator)
            }
        }
        for device in devices {
            device.start()
        }
        try settle(cloud, using: &generator)
        #expect(cloud.messageCount == 0, "seed \(seed): changes travel without end")
        for device in devices {
            #expect(device.values == devices[0].values, "seed \(seed)")
            #expect(device.copy.snapshot() == cloud.server, "seed \(seed)")
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: (0 as UInt64)..<TestLevel.current.pick(25, thorough: 100))
    func `with clocks that are right the newest write wins`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (cloud, devices) = arrange(2, clockErrors: [0, 0])
        var newest: [String: PropertyListValue?] = [:]
        for number in 0..<40 {
            let device = devices[Int.random(in: 0..<2, using: &generator)]
            let name = Self.names[Int.random(in: 0..<3, using: &generator)]
            device.clock.time.withLock { $0 = Double(number + 1) }
            let value: PropertyListValue? = Bool.random(using: &generator) ? .init(number) : nil
            // Removing a key that a device does not have writes nothing.
            guard value != nil || device.store.value(forKey: name) != nil else { continue }
            device.store.set(value, forKey: name)
            newest[name] = .some(value)
            while cloud.messageCount > 0, Int.random(in: 0..<4, using: &generator) == 0 {
                try cloud.deliverOne(using: &generator)
            }
        }
        try settle(cloud, using: &generator)
        for device in devices {
            #expect(device.values == Self.names.map { newest[$0] ?? nil }, "seed \(seed)")
        }
    }
}
