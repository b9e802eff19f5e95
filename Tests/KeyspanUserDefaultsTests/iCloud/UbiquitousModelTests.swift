import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// Devices of several people that write, sign in and out, restart and wait for iCloud in any order, against two rules: no value
/// of an account reaches another one, and the newest write wins.
@Suite(.heavy, .seeded) struct UbiquitousModelTests {
    /// The newest write of each key of each account; `nil` if it may have been lost before it reached the server.
    private struct Newest {
        private var writes: [String: [String: (value: PropertyListValue?, device: Int)?]] = [:]

        func write(_ account: String, _ key: String) -> (value: PropertyListValue?, device: Int)? {
            writes[account]?[key] ?? nil
        }

        mutating func note(_ value: PropertyListValue?, _ account: String, _ key: String, by device: Int) {
            writes[account, default: [:]][key] = .some((value, device))
        }

        mutating func forget(_ account: String, _ key: String) {
            writes[account, default: [:]][key] = .some(nil)
        }
    }

    private static let names = ["a", "b", "c"]
    private static let people = ["anna", "bob"]

    @Test func `no value reaches another account, and the newest write wins in each`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(300, thorough: 3_000)) { try check(seed) }
    }

    @Test func `devices agree after threads have written while their users changed the account`() throws {
        let clock = TestClock(Date(timeIntervalSinceReferenceDate: 800_000_000))
        let model = UbiquitousModel(namesAccounts: [true, false])
        let devices = (0..<2).map {
            UbiquitousDevice($0, of: model, names: Set(Self.names.map { UTF8Text($0) }), clock: clock)
        }
        let writers = devices.flatMap { device in
            (0..<2).map { [local = device.local] writer in
                TestThread {
                    for number in 0..<300 { local.set("\(writer) \(number)", forKey: Self.names[number % 3]) }
                }
            }
        }
        let users = devices.indices.map { device in
            TestThread {
                for number in 0..<100 {
                    model.signIn(
                        Self.people[number % 2],
                        on: device,
                        isLoading: number % 5 == 0,
                        isLate: number % 3 == 0
                    )
                    model.deliverAll()
                }
            }
        }
        for thread in writers + users { thread.join() }
        for _ in 0..<2 {
            for device in devices { device.start() }
            model.deliverAll()
        }
        try #require(model.messages.isEmpty)
        for (key, entry) in model.server(Self.people[1]) {
            #expect(devices.map { $0.local.value(forKey: key) } == [entry[1], entry[1]])
        }
    }

    private func check(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
        let clock = TestClock(Date(timeIntervalSinceReferenceDate: 800_000_000))
        let namesAccounts = (0..<Int.random(in: 2...3, using: &generator)).map { _ in !chance(3) }
        let model = UbiquitousModel(namesAccounts: namesAccounts)
        let devices = namesAccounts.indices.map {
            UbiquitousDevice($0, of: model, names: Set(Self.names.map { UTF8Text($0) }), clock: clock)
        }
        var newest = Newest()
        var number = 0

        func write(on device: UbiquitousDevice, _ key: String) {
            guard device.isRunning else { return }
            number += 1
            let current = model.account(of: device.index)
            // A write of the person before, who does not know that the account has changed already.
            let before = device.cloud?.account.identity.map { String(decoding: $0, as: UTF8.self) }
            let author = device.hasFollowed ? current : before
            let value: PropertyListValue? = chance(6) ? nil : .string("\(author ?? "nobody") \(number)")
            guard value != device.local.value(forKey: key) else { return }
            device.local.set(value, forKey: key)
            guard let current else { return }
            // A value that nobody owns goes to the next account, with a date before or after those of its values.
            if author == nil { return newest.forget(current, key) }
            guard author == current else { return }
            // What such a program writes before the first download counts as written before the change of the account.
            if model.isLoading(device.index), !namesAccounts[device.index] { return newest.forget(current, key) }
            newest.note(value, current, key, by: device.index)
        }

        func signIn(on device: UbiquitousDevice) {
            // A program that cannot name the account must be there when it changes.
            let isNamed = namesAccounts[device.index]
            guard isNamed || device.isRunning else { return }
            let before = model.account(of: device.index)
            let next: String? = chance(4) ? nil : Self.people.randomElement(using: &generator)
            // Who leaves an account cannot answer older values that arrive there later.
            let isMoving = model.messages.contains {
                if case .notification = $0 { false } else { model.account(of: $0.device) == before }
            }
            // As far as the program knows: it may not have run while somebody was signed in.
            let hasOwner = before != nil && (!isNamed || device.local.value(forKey: "keyspan.account") != nil)
            for key in Self.names {
                if let before {
                    // A removal is not sent before there is something to remove.
                    let entry = model.server(before)[key]
                    let write = newest.write(before, key)
                    let isLost = write?.device == device.index && (entry == nil || write?.value != entry?[1])
                    if isMoving || isLost { newest.forget(before, key) }
                }
                if let next, !hasOwner {
                    // Values written while nobody was signed in go to the next account.
                    newest.forget(next, key)
                }
            }
            model.signIn(next, on: device.index, isLoading: chance(3), isLate: isNamed && chance(2))
        }

        for _ in 0..<Int.random(in: 10...60, using: &generator) {
            clock.advance(by: 0.001)
            let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
            let key = Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
            switch Int.random(in: 0..<16, using: &generator) {
            case 0: device.stop()
            case 1...2: device.start()
            case 3...4: signIn(on: device)
            case 5: for _ in 0..<30 { write(on: device, key) }
            case 6: model.notify(device.index, .changed(.all), isLate: true)
            default: write(on: device, key)
            }
            while chance(2), let message = model.messages.randomElement(using: &generator) {
                let isRepeated = chance(4)
                // A program that cannot name the account is notified of a change at once.
                let isFirst = if case .firstDownload = message { true } else { false }
                let isLate = chance(2) && (!isFirst || namesAccounts[message.device])
                model.deliver(message, isLate: isLate, isNamed: !chance(4))
                if isRepeated, case .notification(let device, let change) = message {
                    model.notify(device, change, isLate: true)
                }
            }
        }
        clock.advance(by: 1)
        for _ in 0..<2 {
            model.deliverAll()
            for device in devices { device.start() }
        }
        model.deliverAll()
        try #require(model.messages.isEmpty, "seed \(seed): changes travel without end")
        for person in Self.people {
            let server = model.server(person)
            for (key, entry) in server {
                let text = entry[1]?.stringValue ?? person
                try #require(
                    text.hasPrefix(person) || text.hasPrefix("nobody"),
                    "seed \(seed): \(text) is in \(key) of \(person)"
                )
            }
            for key in Self.names {
                let value = server[key]?[1]
                for device in devices where model.account(of: device.index) == person && server[key] != nil {
                    let found = device.local.value(forKey: key)
                    try #require(found == value, "seed \(seed): \(key) of device \(device.index), account \(person)")
                }
                if let write = newest.write(person, key) {
                    try #require(value == write.value, "seed \(seed): \(key) of \(person), newest \(write)")
                }
            }
        }
    }
}
