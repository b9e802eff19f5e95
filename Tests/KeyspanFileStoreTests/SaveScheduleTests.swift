import KeyspanFileStore
import Testing

@Suite("A save schedule")
struct SaveScheduleTests {
    private var schedule = SaveSchedule(savedGeneration: 5, delay: .seconds(1))

    @Test mutating func `sets one timer for many changes`() {
        let timers = (6...9).map { schedule.tableDidChange(to: $0) }
        #expect(timers.map { $0?.delay } == [.seconds(1), nil, nil, nil])
    }

    @Test mutating func `sets no timer for a generation that is saved`() {
        let before = schedule.tableDidChange(to: 5)
        schedule.saveDidSucceed(9)
        let after = schedule.tableDidChange(to: 9)
        #expect(before == nil)
        #expect(after == nil)
    }

    @Test mutating func `never takes a saved generation back`() {
        schedule.saveDidSucceed(9)
        schedule.saveDidSucceed(8)
        #expect(schedule.savedGeneration == 9)
    }

    @Test mutating func `lets each timer fire once`() throws {
        let timer = schedule.tableDidChange(to: 6)
        let ticket = try #require(timer?.ticket)
        let fired = (1...2).map { _ in schedule.timerDidFire(ticket) }
        #expect(fired == [true, false])
    }

    @Test mutating func `keeps the timer of a change that came during a save`() throws {
        let first = schedule.tableDidChange(to: 6)
        var fired = [schedule.timerDidFire(try #require(first?.ticket))]
        let second = schedule.tableDidChange(to: 7)
        schedule.saveDidSucceed(6)
        fired.append(schedule.timerDidFire(try #require(second?.ticket)))
        #expect(fired == [true, true])
    }

    @Test func `counts a negative delay as zero`() {
        var schedule = SaveSchedule(savedGeneration: 0, delay: .seconds(-1))
        let timer = schedule.tableDidChange(to: 1)
        #expect(timer?.delay == .zero)
    }
}
