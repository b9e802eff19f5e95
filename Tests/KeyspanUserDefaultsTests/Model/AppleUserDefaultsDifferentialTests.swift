#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// A store, other code of the process and other processes write at random; the store is compared with the model after each step.
@Suite
struct AppleUserDefaultsDifferentialTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var options: ModelPreferences.Options
        var isNamed: Bool
        var seed: UInt64

        var testDescription: String { "\(options), named: \(isNamed), seed \(seed)" }

        static var all: [Case] {
            let seeds = SeededGenerator.seeds(TestLevel.current.pick(3, thorough: 60))
            return ModelPreferences.Options.allCases.flatMap { options in
                [true, false].flatMap { isNamed in
                    seeds.map { Case(options: options, isNamed: isNamed, seed: $0) }
                }
            }
        }
    }

    @Test(.seeded, arguments: Case.all)
    func `a store shows what UserDefaults shows, whoever writes`(_ present: Case) throws {
        var run = Run(present)
        for step in 0..<250 {
            try run.step("\(present.testDescription), step \(step)")
        }
        try run.end(present.testDescription)
    }

    /// Each key has one author, so that the last value of each is known; all of them write and read beside one another.
    @Test(.seeded, arguments: Case.all)
    func `nothing is lost among threads`(_ present: Case) throws {
        let model = ModelPreferences(present.options)
        let opened = ModelStore(model, isNamed: present.isNamed)
        let observed = Recorder<[PropertyListChange.Entry]>()
        let observation = opened.store.observe(.all, initial: false) { observed($0.entries) }
        let modified = Recorder<Int>()
        let threads = (0..<4).map { author in
            TestThread {
                var generator = SeededGenerator(seed: present.seed &* 4 &+ UInt64(author))
                let object = model.makeDefaults()
                for step in 0...60 {
                    let key = ["\(author)", "\(author).a", "\(author).b"].randomElement(using: &generator) ?? ""
                    let value =
                        step == 60 || Int.random(in: 0..<4, using: &generator) > 0
                        ? PropertyListValue.integer(PropertyListInteger(step)) : nil
                    switch author {
                    case 0, 1: opened.store.set(value, forKey: key)
                    case 2: object.set(value.map(FoundationValue.object), forKey: key)
                    default:
                        model.writeElsewhere(value, forKey: key, in: "own")
                        model.arrive()
                    }
                    let read = ["0", "1.a", "2.b", "3"].randomElement(using: &generator) ?? ""
                    _ = opened.store.value(forKey: read)
                    if Int.random(in: 0..<10, using: &generator) == 0 {
                        Defaults(opened.store).modify(Defaults.Key<Int>("count", default: 0)) { $0 += 1 }
                        modified(author)
                    }
                }
            }
        }
        threads.forEach { $0.join() }
        // A background thread may still bring writes to UserDefaults.
        try opened.store.synchronize()
        try opened.store.refresh()
        let last = model.table(of: "own")
        #expect(opened.values.snapshot() == last, "\(present.testDescription)")
        #expect(last["count"] ?? 0 == .integer(PropertyListInteger(modified.count)), "\(present.testDescription)")
        eventually("\(present.testDescription): the observer has the last values") {
            observed.values.joined().reduce(into: PropertyListTable()) { $0[$1.key] = $1.new } == last
        }
        observation.cancel()
    }

    private struct Run {
        private var generator: SeededGenerator
        private let isNamed: Bool
        private let model: ModelPreferences
        private let opened: ModelStore
        private let observed = Recorder<[PropertyListChange.Entry]>()
        private let observation: StoreObservation
        /// The keys that the store cannot know at present, because nothing reports such changes.
        private var unreported: Set<String> = []
        var trace: [String] = []

        init(_ present: Case) {
            generator = SeededGenerator(seed: present.seed)
            isNamed = present.isNamed
            model = ModelPreferences(present.options)
            if Bool.random(using: &generator) { model.arguments = ["theme": "argument", "app.theme": "argument"] }
            model.writeElsewhere("system", forKey: "theme", in: UserDefaults.globalDomain)
            model.writeElsewhere(1, forKey: "volume", in: "own")
            model.arrive()
            opened = ModelStore(model, isNamed: isNamed)
            observation = opened.store.observe(
                .named(Set(keys.map { UTF8Text($0) })),
                initial: true
            ) { [observed] in observed($0.entries) }
        }

        mutating func step(_ comment: String) throws {
            let (key, value) = (randomKey(), randomValue())
            var written: PropertyListTable?
            let op = Int.random(in: 0..<16, using: &generator)
            trace.append("\(op) \(key) \(value) \(model.table(of: "own")["theme"] as Any)")
            switch op {
            case 0...2:
                opened.store.set(value, forKey: key)
                written = [key: value]
            case 3:
                opened.store.removeObject(forKey: key)
                try opened.store.synchronize()
                #expect(model.table(of: "own")[key] == nil, "\(comment): \(key) was removed")
            case 4:
                var batch = PropertyListBatch(.removeAll)
                batch.set(value, forKey: key)
                try opened.store.apply(batch)
                // A background thread that reads may take a write along.
                try opened.store.synchronize()
                #expect(model.table(of: "own") == [key: value], "\(comment)")
            case 5:
                try opened.store.register([key: value])
            case 6...7:
                let isRemoval = Bool.random(using: &generator)
                model.makeDefaults().set(isRemoval ? nil : FoundationValue.object(value), forKey: key)
            case 8:
                model.register([key: value])
                unreported.insert(key)
            case 9...10:
                let isReported = Bool.random(using: &generator)
                model.writeElsewhere(Bool.random(using: &generator) ? value : nil, forKey: key, in: "own")
                model.arrive(reporting: isReported)
                if !isReported || key.contains(".") || key.hasPrefix("@") { unreported.insert(key) }
            case 11:
                model.activate()
                unreported = []
            case 12:
                try opened.store.refresh()
                unreported = []
                if isNamed {
                    let own = opened.values.snapshot()
                    #expect(own == model.table(of: "own"), "\(comment)")
                }
            case 13:
                let before = model.makeDefaults().object(forKey: "app.count") as? Int ?? 0
                Defaults(opened.store).modify(Defaults.Key<Int>("app.count", default: 0)) { $0 += 1 }
                #expect(model.table(of: "own")["app.count"] == .integer(PropertyListInteger(before + 1)), "\(comment)")
            default:
                // Other code that observes the write, and writes as well.
                let (model, other, nested) = (model, randomKey(), randomValue())
                model.whenNotified { written in
                    guard written == key else { return }
                    model.whenNotified(nil)
                    model.makeDefaults().set(FoundationValue.object(nested), forKey: other)
                }
                opened.store.set(value, forKey: key)
                model.whenNotified(nil)
            }
            try opened.store.synchronize()
            for (key, value) in written ?? [:] {
                // Without the name of the domain, a value below that equals the written one looks like that.
                let own = isNamed ? model.table(of: "own")[key] : model.lookup(key, in: "own")
                #expect(own == value, "\(comment)")
            }
            model.postLate()
            opened.performLater()
            for key in keys where !unreported.contains(key) {
                try #require(
                    opened.store.value(forKey: key) == model.shown(key, in: "own"),
                    "\(comment): \(key) \(trace.joined(separator: "\n"))"
                )
            }
        }

        func end(_ comment: String) throws {
            try opened.store.refresh()
            let last = keys.reduce(into: PropertyListTable()) { $0[$1] = model.shown($1, in: "own") }
            eventually("\(comment): the observer has the last values") {
                observed.values.joined().reduce(into: PropertyListTable()) { $0[$1.key] = $1.new } == last
            }
            observation.cancel()
        }

        private mutating func randomKey() -> String { keys.randomElement(using: &generator) ?? "volume" }

        private mutating func randomValue() -> PropertyListValue {
            [0, 1, 2, "system", "dark", true, [1, "a"]].randomElement(using: &generator) ?? 0
        }
    }
}

private let keys = ["volume", "theme", "@name", "app.size", "app.theme", "é"]
#endif
