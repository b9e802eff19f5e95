import Keyspan
import KeyspanTestSupport
import KeyspanTesting
import Observation
import Testing

extension Defaults.Keys {
    fileprivate static let count = Key<Int>("count", default: 7)
}

extension Defaults.KeyName {
    fileprivate static let players: Self = "numberOfPlayers"
}

private enum Mode: String, Codable, Defaults.Serializable {
    case fast, slow
}

/// The properties on the standard store of each test.
private struct Game {
    @Default(.count) var count
    @Default(.players) var players = 3
    @Default("nickname") var nickname: String?
    @Default("team") var team: String? = "red"
    @Default("mode") var mode = Mode.fast
    @Default("moves") var moves: [Int] = []
}

@Suite(.bounded, .isolatedDefaults)
struct DefaultTests {
    /// In a module that sees only what apps see, so that no operator of the standard library is chosen.
    @Test func `names of keys are compared by their UTF-8`() {
        let (composed, decomposed): (Defaults.KeyName, Defaults.KeyName) = ("\u{E9}", "e\u{301}")
        #expect(composed != decomposed)
        #expect(!(composed == decomposed))
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `a property reads its default, and then what was written, by whatever way`() {
        let game = Game()
        #expect(game.count == 7)
        #expect(game.players == 3)
        #expect(game.nickname == nil)
        #expect(game.mode == .fast)
        game.count += 1
        game.players = 4
        game.nickname = "Ada"
        game.mode = .slow
        game.moves.append(5)
        #expect(Defaults[.count] == 8)
        #expect(Defaults.standard.store.value(forKey: "numberOfPlayers") == 4)
        #expect(Defaults.standard.store.value(forKey: "nickname") == "Ada")
        #expect(Defaults.standard.store.value(forKey: "mode") == "\"slow\"")
        Defaults[.count] = 20
        #expect(game.count == 20)
        #expect(Game().moves == [5])
    }

    @Test func `a property has its default, knows whether it has it, and returns to it`() {
        let count = Default(.count)
        #expect(count.defaultValue == 7)
        #expect(count.isDefaultValue)
        count.wrappedValue = 8
        #expect(!count.isDefaultValue)
        count.reset()
        #expect(count.isDefaultValue)
        #expect(count.wrappedValue == 7)
    }

    @Test func `an optional is nil without a default, and never with one`() {
        let game = Game()
        #expect(game.nickname == nil)
        #expect(game.team == "red")
        game.nickname = "Ada"
        game.team = "blue"
        #expect(game.nickname == "Ada")
        #expect(game.team == "blue")
        game.nickname = nil
        game.team = nil
        #expect(game.nickname == nil)
        #expect(game.team == "red")
        #expect(!game.$nickname.hasValue)
    }

    @Test func `a property on a named store leaves the standard one alone`() {
        struct Session {
            @Default("token") var token = "none"
            @Default("attempts", suite: Self.store) var attempts = 1
            @Default(Defaults.Key<Int>("key", default: 0, suite: Self.store)) var key
            static let store = InMemoryStore()
        }
        let session = Session()
        session.token = "secret"
        session.attempts += 1
        session.key = 9
        #expect(Session.store.snapshot() == ["attempts": 2, "key": 9])
        #expect(Defaults.standard.store.value(forKey: "token") == "secret")
    }

    @Test(arguments: [true, false])
    func `a default is registered if that is asked for, and the store takes it`(_ isRegistered: Bool) throws {
        let memory = InMemoryStore()
        let store = LayeredStore([.init("memory", memory, isWritable: true), .init("registered", RegistrationDomain())])
        let property = Default(wrappedValue: 5, "lives", suite: store, registering: isRegistered)
        let others = Defaults.Key<Int?>("lives")
        #expect(Defaults(store)[others] == (isRegistered ? 5 : nil))
        #expect(property.wrappedValue == 5)
        #expect(memory.snapshot().isEmpty)
        property.wrappedValue = 6
        #expect(Defaults(store)[others] == 6)
        property.projectedValue.reset()
        #expect(property.wrappedValue == 5)
    }

    @Test(arguments: [InMemoryStore(), LayeredStore([.init("memory", InMemoryStore())])] as [any PropertyListStore])
    func `a default is not registered in a store without a place for it, which is no problem`(
        _ store: any PropertyListStore
    ) {
        let problems = reportedProblems {
            #expect(Default(wrappedValue: 5, "lives", suite: store, registering: true).wrappedValue == 5)
        }
        #expect(store.snapshot().isEmpty && problems == [])
    }

    @Test func `the projected value observes and resets`() async {
        let game = Game()
        var updates = game.$players.updates().makeAsyncIterator()
        #expect(await updates.next() == 3)
        let changes = Recorder<String>()
        let observation = game.$players.observe(options: []) { changes.record("\($0.oldValue) to \($0.newValue)") }
        game.players = 4
        #expect(await updates.next() == 4)
        game.$players.reset()
        #expect(await updates.next() == 3)
        observation.invalidate()
        game.players = 9
        #expect(changes.values == ["3 to 4", "4 to 3"])
        #expect(game.$players.key.name == "numberOfPlayers")
        #expect(game.$players.hasValue)
    }

    @Test(arguments: [([], 2), (.observed, 2), ([.cached, .observed], 2), (.cached, 0)] as [(DefaultOptions, Int)])
    func `a value is kept as the options say`(options: DefaultOptions, afterAnotherWrite: Int) throws {
        let store = InMemoryStore()
        let property = Default(Defaults.Key<Int>("number", default: 0), suite: store, options: options)
        #expect(property.wrappedValue == 0)
        try store.apply(PropertyListBatch(.set(2, key: "number")))
        #expect(property.wrappedValue == afterAnotherWrite)
        property.wrappedValue = 3
        #expect(property.wrappedValue == 3)
        property.projectedValue.reset()
        #expect(property.wrappedValue == 0)
    }

    @Test(arguments: [[], .cached, [.cached, .observed]] as [DefaultOptions])
    func `a change in place begins with the stored value, whatever the property keeps`(_ options: DefaultOptions) {
        let store = InMemoryStore()
        let numbers = Default(Defaults.Key<[Int]>("numbers", default: []), suite: store, options: options)
        #expect(numbers.wrappedValue == [])
        store.set([1], forKey: "numbers")
        Default(Defaults.Key<[Int]>("numbers", default: []), suite: store).wrappedValue.append(2)
        numbers.wrappedValue.append(3)
        #expect(store.value(forKey: "numbers") == [1, 2, 3])
        #expect(numbers.wrappedValue == [1, 2, 3])
    }

    @Test(arguments: [.cached, [.cached, .observed]] as [DefaultOptions])
    func `an observer of a kept value reads the new one`(_ options: DefaultOptions) {
        let store = InMemoryStore()
        let number = Default(Defaults.Key<Int>("number", default: 0), suite: store, options: options)
        #expect(number.wrappedValue == 0)
        let seen = Recorder<Int>()
        let observation = store.observe(.named(["number"]), initial: false) { _ in seen(number.wrappedValue) }
        number.wrappedValue = 1
        number.wrappedValue += 1
        number.projectedValue.reset()
        #expect(seen.values == [1, 2, 0])
        observation.cancel()
    }

    @Test func `a kept and observed value ends with the one in the store, whoever writes`() async throws {
        let store = InMemoryStore()
        let property = Default(Defaults.Key<Int>("number", default: 0), suite: store, options: [.cached, .observed])
        for _ in 0..<50 {
            await withTaskGroup { group in
                for writer in 0..<2 {
                    group.addTask {
                        for number in 0..<20 {
                            Defaults(store)[Defaults.Key<Int>("number", default: 0)] = writer * 100 + number
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<20 {
                        _ = property.wrappedValue
                    }
                }
            }
            // What two writers leave to each other beyond a bound is delivered in the background.
            try await eventually("the kept value is the stored one", PropertyListValue(property.wrappedValue)) {
                $0 == store.value(forKey: "number")
            }
        }
    }

    @Test(arguments: [true, false])
    func `reads are seen by observation tracking`(_ isStandard: Bool) {
        let store = isStandard ? Defaults.standard.store : InMemoryStore()
        let key = Defaults.Key<Int>("tracked", default: 0)
        let property = Default(key, suite: isStandard ? nil : store)
        let changes = Recorder<Bool>()
        let read = withObservationTracking {
            property.wrappedValue
        } onChange: {
            changes(true)
        }
        #expect(read == 0)
        Defaults(store)[Defaults.Key<Int>("another", default: 0)] = 1
        #expect(changes.count == 0)
        Defaults(store)[key] = 1
        #expect(changes.count == 1)
    }
}
