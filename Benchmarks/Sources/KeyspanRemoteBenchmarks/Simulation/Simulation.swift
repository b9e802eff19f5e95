#if Remote
/// Many clients and their origin over a period of simulated time.
///
/// Answers take no time, and a request that fails does so at once, which makes the load of an outage as heavy as it can be.
struct Simulation {
    /// The result of a simulation.
    struct Outcome {
        let origin: SimulatedOrigin
        /// The seconds from the event, or from the end of the outage, until the last client has the document in force, or knows that
        /// it has it; `nil` if there was no event, or if the simulation was too short.
        let last: Double?
    }

    /// The state of a client.
    private struct Client {
        /// The number of its document.
        var document: UInt8 = 0
        /// The failures since the last success, of requests for the document and for a stream.
        var (failures, streamFailures): (UInt8, UInt8) = (0, 0)
        /// How often the least pause between two hastened requests was doubled.
        var doublings: UInt8 = 0
        /// Whether an event had the tag `*` since the last request.
        var mayMove = false
        var isConnected = false
        /// Whether the client lacks the document in force, or proof of it.
        var isBehind = false
        var lastRequest: Int32 = 0
        /// The time at which the origin named its group.
        var assigned: Int32 = 0
    }

    private let scenario: Scenario
    private let population: Population
    private let rules: ClientRules
    private var dice: Dice
    private var timers: TimerQueue
    private var clients: [Client]
    private var origin: SimulatedOrigin
    private var cache: SimulatedCache?
    /// The number of streams of each server.
    private var streams: [Int]
    /// The time for which the streams were open in the period that counts, in milliseconds of all of them.
    private var streamTime = 0
    private var (behind, lastTime): (Int, Int?) = (0, nil)

    init(_ scenario: Scenario, _ population: Population, rules: ClientRules, seed: UInt64) {
        (self.scenario, self.population, self.rules) = (scenario, population, rules)
        dice = Dice(seed: seed)
        let count = population.count
        clients = Array(repeating: Client(), count: count)
        timers = TimerQueue(count: 3 * count + 2 + population.servers, end: scenario.end * 1_000)
        origin = SimulatedOrigin(scenario: scenario, capacity: population.capacity, dice: Dice(seed: ~seed))
        streams = Array(repeating: 0, count: population.servers)
        if population.cacheLocations > 0 {
            cache = SimulatedCache(
                locations: population.cacheLocations,
                groups: population.group == .named ? 1 : population.groups,
                dice: &dice
            )
        }
        for client in 0..<count {
            // The clients began at random times.
            timers.set(Self.poll(client), at: dice.roll(below: rules.interval))
            clients[client].assigned = -Int32(dice.roll(below: rules.assignmentInterval))
            if population.isLive { setConnected(client, true) }
        }
        timers.set(3 * count, at: scenario.eventTime * 1_000)
        if scenario.outageEnd > scenario.eventTime { timers.set(3 * count + 1, at: scenario.outageEnd * 1_000) }
    }

    /// Runs to the end.
    mutating func run() -> Outcome {
        let clientTimers = 3 * population.count
        while let timer = timers.popFirst() {
            if timer < clientTimers {
                switch timer % 3 {
                case 0: ask(timer / 3, isHint: false)
                case 1: ask(timer / 3, isHint: true)
                default: openStream(timer / 3)
                }
            } else {
                switch timer - clientTimers {
                case 0: begin()
                case 1: endOutage()
                case let server: notifyClients(of: server - 2)
                }
            }
        }
        streamTime += streams.reduce(0, +) * countedTime(scenario.end * 1_000)
        origin.sendEvents(streamTime / rules.heartbeat)
        let last = behind == 0 ? max(lastTime ?? eventEnd, eventEnd) - eventEnd : nil
        return Outcome(origin: origin, last: scenario.event == .nothing ? nil : last.map { Double($0) / 1_000 })
    }

    /// The time from which on all clients can have the document in force.
    private var eventEnd: Int { scenario.outageEnd * 1_000 }

    // MARK: The event

    private mutating func begin() {
        switch scenario.event {
        case .nothing: break
        case .change: change(delay: 0)
        case .gradualChange: change(delay: population.serverDelay)
        case .renewal:
            origin.change(at: timers.now, delay: 0)
            for client in clients.indices { setBehind(client, true) }
        case .refresh:
            for client in clients.indices {
                setBehind(client, true)
                notify(client, mayMove: true)
            }
        case .outage, .outageAndChange:
            origin.isDown = true
            loseStreams()
        case .restart: loseStreams()
        }
    }

    private mutating func endOutage() {
        origin.isDown = false
        if scenario.event == .outageAndChange { change(delay: 0) }
    }

    private mutating func change(delay: Int) {
        origin.change(at: timers.now, delay: delay)
        for client in clients.indices { setBehind(client, true) }
        for server in streams.indices {
            timers.set(3 * population.count + 2 + server, at: timers.now + server * delay / streams.count)
        }
    }

    private mutating func notifyClients(of server: Int) {
        for client in stride(from: server, to: clients.count, by: streams.count) where clients[client].isConnected {
            notify(client, mayMove: false)
        }
    }

    private mutating func loseStreams() {
        for client in clients.indices where clients[client].isConnected {
            setConnected(client, false)
            if scenario.event == .restart { setBehind(client, true) }
            timers.set(Self.stream(client), at: timers.now + dice.roll(below: reopening))
        }
    }

    // MARK: The streams

    /// The longest pause before the first attempt to open a lost stream: the spread that its last event had, or more.
    private var reopening: Int {
        max(rules.firstRetry, 1_000 * (population.streamsPerServer / rules.openedPerSecond))
    }

    private mutating func openStream(_ client: Int) {
        guard origin.serve(.stream, at: timers.now) else {
            let failures = min(Int(clients[client].streamFailures) + 1, 20)
            clients[client].streamFailures = UInt8(failures)
            let longest = min(reopening << failures, rules.longestRetry)
            return timers.set(Self.stream(client), at: timers.now + dice.roll(below: longest))
        }
        clients[client].streamFailures = 0
        setConnected(client, true)
        if scenario.event == .restart { setBehind(client, false) }
        notify(client, mayMove: false)
    }

    private mutating func setConnected(_ client: Int, _ isConnected: Bool) {
        clients[client].isConnected = isConnected
        streams[client % streams.count] += isConnected ? 1 : -1
        streamTime += isConnected ? -countedTime(timers.now) : countedTime(timers.now)
    }

    /// The time within the period that counts.
    private func countedTime(_ time: Int) -> Int {
        min(max(time, scenario.counted.lowerBound * 1_000), scenario.counted.upperBound * 1_000)
    }

    /// Sends an event with the tag in force, or with the tag `*`, to a client.
    private mutating func notify(_ client: Int, mayMove: Bool) {
        origin.sendEvent(at: timers.now)
        guard mayMove || Int(clients[client].document) != origin.document else { return }
        if mayMove { clients[client].mayMove = true }
        hasten(client, after: 0)
    }

    /// Lets a client ask because of an event that arrives after a pause.
    private mutating func hasten(_ client: Int, after pause: Int) {
        let state = clients[client]
        let spread = 1_000 * streams[client % streams.count] / rules.hastenedPerSecond
        let leastPause = min(rules.leastPause << Int(state.doublings), rules.interval)
        let time = max(timers.now + pause + dice.roll(below: spread), Int(state.lastRequest) + leastPause)
        let set = timers.time(of: Self.hint(client))
        timers.set(Self.hint(client), at: min(set ?? time, time))
    }

    // MARK: The requests

    private mutating func ask(_ client: Int, isHint: Bool) {
        let (now, state) = (timers.now, clients[client])
        // The poll may have brought what the event announced.
        if isHint, !state.mayMove, Int(state.document) == origin.document { return }
        clients[client].mayMove = false
        clients[client].lastRequest = Int32(now)
        let known = Int(state.document)
        var answer = SimulatedAnswer.missing
        if isHint, !state.mayMove {
            answer = askForTag(client)
            if answer == .missing { answer = askForGroup(client, known: known, isReload: true) }
        } else {
            // A cache can have the document of the group although the origin does not answer.
            if asksForItsGroup(state), origin.serve(.redirect, at: now) { clients[client].assigned = Int32(now) }
            answer = askForGroup(client, known: known, isReload: false)
            if case .document(let document) = answer, document < known {
                answer = askForGroup(client, known: known, isReload: true)
            }
        }
        take(answer, client, isHint: isHint)
    }

    private func asksForItsGroup(_ state: Client) -> Bool {
        population.group == .traits
            && (state.mayMove || timers.now - Int(state.assigned) >= rules.assignmentInterval)
    }

    private mutating func askForTag(_ client: Int) -> SimulatedAnswer {
        guard cache != nil else { return origin.answer(tag: origin.document, at: timers.now) }
        let (location, group) = place(of: client)
        let tag = origin.document
        return cache?.answer(location: location, group: group, tag: tag, at: timers.now, origin: &origin) ?? .failed
    }

    private mutating func askForGroup(_ client: Int, known: Int, isReload: Bool) -> SimulatedAnswer {
        guard cache != nil else { return origin.answer(known: known, at: timers.now) }
        let (location, group) = place(of: client)
        return cache?.answer(
            location: location,
            group: group,
            known: known,
            isReload: isReload,
            at: timers.now,
            origin: &origin
        ) ?? .failed
    }

    private func place(of client: Int) -> (location: Int, group: Int) {
        let groups = population.group == .named ? 1 : population.groups
        return (client / groups % population.cacheLocations, client % groups)
    }

    private mutating func take(_ answer: SimulatedAnswer, _ client: Int, isHint: Bool) {
        let known = Int(clients[client].document)
        var hasSucceeded = true
        switch answer {
        case .document(let document) where document > known:
            clients[client].document = UInt8(document)
            clients[client].doublings = 0
        case .notModified:
            if isHint { clients[client].doublings = min(clients[client].doublings + 1, 20) }
        // A cache or a server that has not seen the change proves nothing.
        case .document, .missing, .failed:
            if isHint { clients[client].doublings = min(clients[client].doublings + 1, 20) }
            hasSucceeded = false
        }
        let isPresent = Int(clients[client].document) == origin.document
        // The stream repeats its event.
        if isHint, !isPresent, clients[client].isConnected { hasten(client, after: dice.roll(below: rules.heartbeat)) }
        guard hasSucceeded else { return retry(client) }
        clients[client].failures = 0
        if isPresent, scenario.event != .restart { setBehind(client, false) }
        // A request because of an event leaves the times of the others as they are.
        if isHint, timers.time(of: Self.poll(client)) != nil { return }
        let tenth = rules.interval / 10
        timers.set(Self.poll(client), at: timers.now + rules.interval - tenth + dice.roll(below: 2 * tenth))
    }

    private mutating func retry(_ client: Int) {
        if origin.isDown { setBehind(client, true) }
        let failures = min(clients[client].failures + 1, 20)
        clients[client].failures = failures
        let longest = min(rules.firstRetry << (Int(failures) - 1), rules.longestRetry)
        timers.set(Self.poll(client), at: timers.now + dice.roll(below: longest))
    }

    /// Notes whether a client lacks the document in force, or proof of it.
    private mutating func setBehind(_ client: Int, _ isBehind: Bool) {
        guard clients[client].isBehind != isBehind else { return }
        clients[client].isBehind = isBehind
        behind += isBehind ? 1 : -1
        if !isBehind { lastTime = timers.now }
    }

    /// The timers of a client: of its next poll, of the request because of an event, and of the next attempt to open a stream.
    private static func poll(_ client: Int) -> Int { 3 * client }

    private static func hint(_ client: Int) -> Int { 3 * client + 1 }

    private static func stream(_ client: Int) -> Int { 3 * client + 2 }
}
#endif
