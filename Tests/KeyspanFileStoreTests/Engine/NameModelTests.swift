@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Stores with different keys on one file, whose names lead into one another, an editor, and files that are removed: all of them have
/// what a fresh store reads.
@Suite(.heavy, .seeded) struct NameModelTests {
    @Test func `every store has what a fresh one reads, whatever its keys are`() async throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(20, thorough: 1_000, exhaustive: 20_000)) {
            var model = try NameModel(seed: seed)
            for _ in 0..<25 {
                try model.step()
                let failure = try await model.failure()
                try #require(failure == nil, "seed \(seed): \(failure ?? "")\n\(model.log.joined(separator: "\n"))")
            }
        }
    }
}

private struct NameModel {
    private static let names = [
        "tls", "tls.port", "tls.host", "tls.client.port", "tls.client", "a", "a.b", "a.b.c", "x", "u.v@w.x",
    ]
    private static let keys: [[String]] = [[], ["tls.port", "a.b.c"], ["tls", "a"], ["tls", "tls.port", "x"], names]

    /// A process, and the table that an observer of all its changes has.
    private final class Observed: Sendable {
        let process: ProcessDouble
        let changes = Recorder<PropertyListChange>()
        let observation: StoreObservation

        init(_ process: ProcessDouble) {
            self.process = process
            observation = process.store.observe(.all, initial: true, changes.record)
        }

        var seen: PropertyListTable {
            changes.values.reduce(into: PropertyListTable()) { table, change in
                for entry in change.entries { table[entry.key] = entry.new }
            }
        }
    }

    private var random: SeededGenerator
    private let disk = SimulatedDisk(.init(callDuration: 1_000))
    private let path = "/data/file.jsonc"
    private let options: FileStoreOptions
    private var processes: [Observed] = []
    private var number = 0
    private(set) var log: [String] = []
    private var lost: String?

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let durabilities: [FileStoreOptions.Durability] = [.grouped, .everyBatch, .onSynchronize]
        let newKeys: [FileStoreOptions.Nesting.NewKeys] = [.likeOthers, .nested, .flat]
        options = FileStoreOptions(
            durability: durabilities.randomElement(using: &random) ?? .grouped,
            journal: Bool.random(using: &random) ? .beside : .none,
            nesting: .init(newKeys: newKeys.randomElement(using: &random) ?? .flat)
        )
        if Bool.random(using: &random) { try edit() }
        for _ in 0..<3 { processes.append(try open()) }
    }

    private mutating func open() throws -> Observed {
        let keys = Self.keys.randomElement(using: &random) ?? []
        log.append("opens with \(keys)")
        return Observed(try ProcessDouble(path: path, keys: keys, options: options, fileSystem: disk.startProcess()))
    }

    private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func value(levels: Int = 2) -> PropertyListValue {
        number += 1
        guard levels > 0, roll(3) == 0 else { return .init(number) }
        var members: PropertyListDictionary = [:]
        for name in ["port", "host", "client", "b", "c", "b.c"] where roll(3) == 0 {
            members[name] = value(levels: levels - 1)
        }
        return .dictionary(members)
    }

    mutating func step() throws {
        let index = roll(processes.count)
        let process = processes[index].process
        switch roll(12) {
        case 0..<5:
            let name = Self.names.randomElement(using: &random) ?? "x"
            let value = roll(4) == 0 ? nil : value()
            log.append("\(index) writes \(name) = \(value.map { "\($0)" } ?? "nil")")
            try process.set([name: value])
            if process[name] != value { lost = "\(index) has \(process[name].debugDescription) for \(name)" }
            guard roll(2) == 0 || options.durability == .everyBatch else { break }
            log.append("\(index) saves")
            try process.store.synchronize()
            let found = try ProcessDouble(path: path, fileSystem: disk.startProcess())[name]
            if found != process[name] { lost = "a fresh store has \(found.debugDescription) for \(name)" }
        case 5:
            let port = Defaults.Key<Int>("tls.port", default: 0)
            log.append("\(index) increments tls.port")
            Defaults(process.store).modify(port) { $0 += 1_000 }
        case 6:
            log.append("\(index) passes time")
            process.passTime()
        case 7:
            log.append("\(index) looks")
            process.look()
        case 8:
            processes[index].observation.cancel()
            processes[index] = try open()
        case 9:
            try settle()
            try edit()
        case 10 where roll(4) == 0:
            try settle()
            log.append("the file is removed")
            try? disk.removeFile(path)
        default:
            log.append("\(index) removes all")
            if roll(4) == 0 { try process.store.apply(PropertyListBatch(.removeAll)) }
        }
    }

    private mutating func edit() throws {
        var table = PropertyListTable()
        for name in Self.names where roll(3) == 0 { table[name] = value() }
        log.append("an editor writes \(JSONText.encode(table).count) bytes: \(table.dictionary)")
        disk.passTime(60_000_000_000)
        try disk.write(JSONText.encode(table), to: "/data/edited")
        try disk.renameFile("/data/edited", to: path)
        disk.passTime(60_000_000_000)
    }

    private func settle() throws {
        for _ in 0..<2 {
            for observed in processes {
                observed.process.look()
                try observed.process.store.synchronize()
                observed.process.passTime()
            }
        }
        for observed in processes { observed.process.look() }
    }

    /// The first store that has other values than it should after all have looked; `nil` if none has.
    mutating func failure() async throws -> String? {
        if let lost { return lost }
        guard roll(3) == 0 else { return nil }
        try settle()
        let fresh = try ProcessDouble(path: path, options: options, fileSystem: disk.startProcess()).store.snapshot()
        for (number, observed) in processes.enumerated() {
            let store = observed.process.store
            guard let file = store as? JSONFileStore else { return "no file" }
            let table = file.engine.contents.snapshot()
            if table != fresh { return "\(number) has \(table.dictionary), a fresh store \(fresh.dictionary)" }
            let snapshot = store.snapshot()
            // Background threads deliver what others wrote.
            let words = log.joined(separator: "\n")
            try await eventually(
                "\(words)\nthe observer of \(number) has \(snapshot.dictionary)",
                observed.seen,
                is: snapshot,
                within: .seconds(2)
            )
            if !observed.process.failures.isEmpty { return "\(number) failed: \(observed.process.failures)" }
        }
        return nil
    }
}
