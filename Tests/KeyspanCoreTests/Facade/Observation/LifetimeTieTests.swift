import KeyspanTestSupport
import Testing

@testable import KeyspanCore

/// The table of tied registrations is one for the process, so the tests run one after the other.
@Suite(.serialized) struct LifetimeTieTests {
    private final class Owner {}

    private let defaults = Defaults(InMemoryStore())
    private let count = Defaults.Key<Int>("count", default: 0)

    private let calls = Recorder<Int>()

    private func observe() -> any Defaults.Observation {
        defaults.observe(count, options: []) { [calls] in calls.record($0.newValue) }
    }

    @Test func `a tie keeps the registration alive, and ends it with the object`() {
        weak var observation: (any Defaults.Observation)?
        do {
            let owner = Owner()
            observation = observe().tieToLifetime(of: owner)
            defaults[count] = 1
            #expect(calls.count == 1)
            withExtendedLifetime(owner) {}
        }
        defaults[count] = 2
        #expect(calls.count == 1)
        #expect(observation == nil)
    }

    @Test func `what the handler holds is released at the first change after the object is gone`() {
        weak var captured: Owner?
        do {
            let (owner, held) = (Owner(), Owner())
            captured = held
            defaults.observe(count, options: []) { _ in withExtendedLifetime(held) {} }.tieToLifetime(of: owner)
            withExtendedLifetime(owner) {}
        }
        #expect(captured != nil)
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
        let observation = observe()
        do {
            let owner = Owner()
            observation.tieToLifetime(of: owner)
            observation.removeLifetimeTie()
        }
        defaults[count] = 1
        #expect(calls.count == 1)
        observation.invalidate()
        observation.tieToLifetime(of: self.count)
        defaults[count] = 2
        #expect(calls.count == 1)
    }

    @Test func `to remove the tie to an object that is gone is too late`() {
        let observation = observe()
        observation.tieToLifetime(of: Owner())
        observation.removeLifetimeTie()
        defaults[count] = 1
        #expect(calls.count == 0)
    }

    @Test func `the last tie counts`() {
        let (observation, second) = (observe(), Owner())
        do {
            let first = Owner()
            observation.tieToLifetime(of: first)
            observation.tieToLifetime(of: second)
        }
        defaults[count] = 1
        #expect(calls.count == 1)
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
