import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanFileStore

@Suite struct SaveScheduleTests {
    private var schedule = WorkSchedule(completed: 5, delay: .seconds(1))

    @Test mutating func `a save schedule sets no timer for a generation that is saved`() {
        let before = schedule.request(5)
        _ = schedule.complete(9)
        let after = schedule.request(9)
        #expect(before == nil)
        #expect(after == nil)
    }

    @Test mutating func `a save schedule lets each timer fire once, and takes no saved generation back`() throws {
        let timer = schedule.request(6)
        let ticket = try #require(timer?.ticket)
        let fired = (1...2).map { _ in schedule.begin(ticket) }
        #expect(fired == [true, false])
        for generation in [UInt64(9), 8] { _ = schedule.complete(generation) }
        #expect(schedule.completed == 9)
    }

    @Test func `a save schedule counts a negative delay as zero`() {
        var schedule = WorkSchedule(completed: 0, delay: .seconds(-1))
        let timer = schedule.request(1)
        #expect(timer?.delay == .zero)
    }

    @Test mutating func `a save schedule has nothing to do when another process has saved everything`() throws {
        let timer = schedule.request(6)
        let next = schedule.completeElsewhere(6)
        let hasFired = schedule.begin(try #require(timer?.ticket))
        #expect(next == nil)
        #expect(!hasFired)
    }

    @Test mutating func `a save schedule lets what came after the save of another process wait anew`() throws {
        let timers = [schedule.request(6), schedule.request(7), schedule.completeElsewhere(6)]
        #expect(timers.map { $0?.delay } == [.seconds(1), nil, .seconds(1)])
        let tickets = timers.compactMap { $0?.ticket }
        let fired = tickets.map { schedule.begin($0) }
        #expect(fired == [false, true])
    }

    /// Threads that change a table and save it, and timers that run out, in any order.
    private struct Model {
        var schedule = WorkSchedule(completed: 0, delay: .milliseconds(100))
        var generation: UInt64 = 0
        /// The timers that have been set and have not run out.
        var timers: [UInt64] = []
        /// The saves that are under way: what each contains, and whether a timer began it.
        var runs: [(generation: UInt64, isInBackground: Bool)] = []
        var events: [String] = []
        let failure: FileStoreError

        mutating func step(using random: inout SeededGenerator) {
            switch Int.random(in: 0...6, using: &random) {
            case 0, 1:
                generation += 1
                let isUrgent = Int.random(in: 0...4, using: &random) == 0
                note("change to \(generation)\(isUrgent ? ", urgent" : "")")
                set(schedule.request(generation, isUrgent: isUrgent))
            case 2, 3:
                guard let index = timers.indices.randomElement(using: &random) else { return }
                let ticket = timers.remove(at: index)
                note("timer \(ticket) runs out")
                if schedule.begin(ticket) { runs.append((generation, true)) }
            case 4 where runs.count < 3:
                note("a caller saves \(generation)")
                runs.append((generation, false))
            default:
                guard let index = runs.indices.randomElement(using: &random) else { return }
                end(runs.remove(at: index), with: Bool.random(using: &random) ? failure : nil, using: &random)
            }
        }

        private mutating func end(
            _ run: (generation: UInt64, isInBackground: Bool),
            with error: FileStoreError?,
            using random: inout SeededGenerator
        ) {
            note("\(run) \(error == nil ? "succeeds" : "fails")")
            switch (error, run.isInBackground) {
            case (let error?, true): set(schedule.fail(error).retry)
            case (let error?, false): schedule.noteThrown(error)
            case (nil, _):
                let isByAnother = Int.random(in: 0...4, using: &random) == 0
                set(isByAnother ? schedule.completeElsewhere(run.generation) : schedule.complete(run.generation))
            }
        }

        /// Whether something is unsaved that nobody will ever save.
        var isForgotten: Bool {
            guard generation > schedule.completed, runs.isEmpty else { return false }
            return !timers.contains { ticket in
                var copy = schedule
                return copy.begin(ticket)
            }
        }

        private mutating func set(_ timer: WorkSchedule.Run?) {
            if let timer { timers.append(timer.ticket) }
        }

        private mutating func note(_ event: String) {
            events.append(event)
        }
    }

    @Test(.seeded) func `a save schedule has a timer pending or a save under way while something is unsaved`() throws {
        let failure = try Self.failure
        for seed in SeededGenerator.seeds(100) {
            var random = SeededGenerator(seed: seed)
            var model = Model(failure: failure)
            for _ in 1...200 {
                model.step(using: &random)
                try #require(!model.isForgotten, "seed \(seed): \(model.events.suffix(12))")
            }
        }
    }

    /// Any error of a file.
    static var failure: FileStoreError {
        get throws {
            try #require(throws: FileStoreError.self) {
                try SharedFile(
                    path: "",
                    codec: JSONFileCodec(),
                    options: FileStoreOptions(),
                    fileSystem: POSIXFileSystem()
                )
            }
        }
    }
}

@Suite struct RefreshScheduleTests {
    private var schedules = WorkSchedules(FileStoreOptions())
    private let start = LockPatience.now

    private mutating func request(after delay: Duration, afterAppend isAppend: Bool = true) -> Duration? {
        let run = schedules.requestRefresh(afterAppend: isAppend, at: start + delay)
        guard let run else { return nil }
        _ = schedules[.refresh].begin(run.ticket)
        return run.delay
    }

    private mutating func complete(toWrite isWriting: Bool = false) {
        _ = schedules.completeRefresh(schedules.refreshRequest, toWrite: isWriting)
    }

    @Test mutating func `a refresh begins at once after a quiet time, and rests while events keep coming`() {
        let rest = EventResponse.restDuration
        let first = request(after: .zero)
        complete()
        let second = request(after: rest * 0.5)
        complete()
        let third = request(after: rest * 2)
        #expect([first, second, third] == [.zero, rest, .zero])
    }

    @Test mutating func `an event after many failures brings the next attempt forward, once`() throws {
        let failure = try SaveScheduleTests.failure
        var run = schedules.requestRefresh(at: start)
        for _ in 1...12 {
            _ = schedules[.refresh].begin(try #require(run).ticket)
            run = schedules[.refresh].fail(failure).retry
        }
        let retry = try #require(run)
        #expect(retry.delay == WorkSchedule.maximumRetryDelay)
        // A record in the journal says nothing of the file that cannot be read.
        let afterAppend = schedules.requestRefresh(afterAppend: true, at: start + .seconds(1))
        let next = schedules.requestRefresh(at: start + .seconds(2))
        let later = schedules.requestRefresh(at: start + .seconds(3))
        #expect(afterAppend == nil && later == nil)
        let news = try #require(next)
        #expect(news.delay <= .milliseconds(500))
        let begun = [retry, news].map { schedules[.refresh].begin($0.ticket) }
        #expect(begun == [false, true])
    }

    @Test mutating func `a refresh rests after a write of this process`() {
        let rest = EventResponse.restDuration
        complete(toWrite: true)
        let first = request(after: rest)
        complete()
        let second = request(after: rest * 3)
        #expect([first, second] == [rest, .zero])
    }

    @Test mutating func `a refresh reads the file after any event but a write to the journal`() {
        var answers = [schedules.followsAppends]
        _ = request(after: .zero, afterAppend: false)
        _ = request(after: .zero)
        answers.append(schedules.followsAppends)
        _ = schedules.completeRefresh(schedules.refreshRequest - 1, toWrite: false)
        answers.append(schedules.followsAppends)
        complete()
        answers.append(schedules.followsAppends)
        #expect(answers == [true, false, false, true])
    }
}
