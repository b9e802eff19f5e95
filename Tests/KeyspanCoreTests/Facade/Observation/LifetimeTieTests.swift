import Testing

@testable import KeyspanCore

/// The table of tied registrations is one for the process, so the tests run one after the other.
@Suite(.serialized) struct LifetimeTieTests {
    private final class Owner {}

    private let defaults = Defaults(InMemoryStore())
    private let count = Defaults.Key<Int>("count", default: 0)

    @Test func `a tie keeps the registration alive, and ends it with the object`() {
        var calls = 0
        var owner: Owner? = Owner()
        weak var observation: (any Defaults.Observation)?
        do {
            let made = defaults.observe(count, options: []) { _ in calls += 1 }
            if let owner { made.tieToLifetime(of: owner) }
            observation = made
        }
        defaults[count] = 1
        #expect(calls == 1)
        owner = nil
        defaults[count] = 2
        #expect(calls == 1)
        #expect(observation == nil)
    }

    @Test func `what the handler holds is released at the first change after the object is gone`() {
        var owner: Owner? = Owner()
        weak var captured: Owner?
        do {
            let held = Owner()
            captured = held
            let observation = defaults.observe(count, options: []) { _ in withExtendedLifetime(held) {} }
            if let owner { observation.tieToLifetime(of: owner) }
        }
        #expect(captured != nil)
        owner = nil
        defaults[count] = 1
        #expect(captured == nil)
    }

    @Test func `without any change it is released when the table has doubled`() {
        weak var captured: Owner?
        do {
            let (owner, held) = (Owner(), Owner())
            captured = held
            defaults.observe(count, options: []) { _ in withExtendedLifetime(held) {} }.tieToLifetime(of: owner)
        }
        let living = Owner()
        let observations = (0...2 * TiedObservations.shared.count + 16).map { _ in
            defaults.observe(count, options: []) { _ in }.tieToLifetime(of: living)
        }
        #expect(captured == nil)
        for observation in observations {
            observation.invalidate()
        }
    }

    @Test func `without its tie a registration lives on by itself`() {
        var calls = 0
        var owner: Owner? = Owner()
        let observation = defaults.observe(count, options: []) { _ in calls += 1 }
        if let owner { observation.tieToLifetime(of: owner) }
        observation.removeLifetimeTie()
        owner = nil
        defaults[count] = 1
        #expect(calls == 1)
        observation.invalidate()
        observation.tieToLifetime(of: self.count)
        defaults[count] = 2
        #expect(calls == 1)
    }

    @Test func `to remove the tie to an object that is gone is too late`() {
        var calls = 0
        var owner: Owner? = Owner()
        let observation = defaults.observe(count, options: []) { _ in calls += 1 }
        if let owner { observation.tieToLifetime(of: owner) }
        owner = nil
        observation.removeLifetimeTie()
        defaults[count] = 1
        #expect(calls == 0)
    }

    @Test func `the last tie counts`() {
        var calls = 0
        var first: Owner? = Owner()
        let second = Owner()
        let observation = defaults.observe(count, options: []) { _ in calls += 1 }
        if let first { observation.tieToLifetime(of: first) }
        observation.tieToLifetime(of: second)
        first = nil
        defaults[count] = 1
        #expect(calls == 1)
        observation.invalidate()
    }

    @Test func `nothing that has ended is held`() {
        let before = TiedObservations.shared.count
        let owner = Owner()
        let observation = defaults.observe(count, options: []) { _ in }.tieToLifetime(of: owner)
        #expect(TiedObservations.shared.count == before + 1)
        observation.invalidate()
        #expect(TiedObservations.shared.count == before)
    }
}
