@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Processes with different keys and options, and a person with an editor, against a model of each key's value.
@Suite(.heavy, .seeded) struct NestedModelTests {
    @Test(arguments: [false, true])
    func `each key has the value that was written last`(knowsAllKeys: Bool) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(10, thorough: 100, exhaustive: 20_000)) {
            var model = try NestedModel(seed: seed, knowsAllKeys: knowsAllKeys)
            for _ in 0..<40 {
                let failure = try model.step()
                try #require(failure == nil, "seed \(seed): \(model.log.joined(separator: "\n"))")
            }
        }
    }
}

private struct NestedModel {
    static let keys = [
        "port", "tls.port", "tls.host", "tls.client.port", "tls.client.name", "log.level", "a", "a.b", "é.x.y",
        "q\"\\.b",
    ]
    static let all = GroupNames(of: keys)

    private var random: SeededGenerator
    private let disk = SimulatedDisk(.init(callDuration: 1_000))
    private let knowsAllKeys: Bool
    private let isJournaled: Bool
    private var processes: [(process: ProcessDouble, keys: [String])] = []
    private var expected: [UTF8Text: PropertyListValue] = [:]
    private var number = 0
    private var comments: [String] = []
    /// Whether a key was removed since a person wrote the file, and with it perhaps comments on its line.
    private var hasRemovals = false
    private(set) var log: [String] = []
    private let mayEditOutstanding: Bool
    private let path = "/data/file.jsonc"

    init(seed: UInt64, knowsAllKeys: Bool) throws {
        random = SeededGenerator(seed: seed)
        self.knowsAllKeys = knowsAllKeys
        isJournaled = Int.random(in: 0..<3, using: &random) > 0
        mayEditOutstanding = Bool.random(using: &random)
        try edit(whole: true)
        for _ in 0..<Int.random(in: 1...3, using: &random) { processes.append(try start()) }
        log.append("journal \(isJournaled), outstanding \(mayEditOutstanding), keys \(processes.map(\.keys))")
    }

    private mutating func start() throws -> (process: ProcessDouble, keys: [String]) {
        let newKeys: [FileStoreOptions.Nesting.NewKeys] = [.likeOthers, .nested, .flat]
        var options = FileStoreOptions(
            journal: isJournaled ? .beside : .none,
            nesting: .init(newKeys: newKeys.randomElement(using: &random) ?? .flat)
        )
        if Int.random(in: 0..<4, using: &random) == 0 { options.durability = .everyBatch }
        if Int.random(in: 0..<4, using: &random) == 0 { options.recovery = .lastGoodCopy }
        var keys = Self.keys
        if !knowsAllKeys, Bool.random(using: &random) {
            keys = keys.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
            // A dictionary never stands for the keys of others.
            if !keys.contains("a") { keys.removeAll { $0 == "a.b" } }
        }
        return (try ProcessDouble(path: path, keys: keys, options: options, fileSystem: disk.startProcess()), keys)
    }

    private mutating func value() -> PropertyListValue {
        number += 1
        let integer = PropertyListValue(number)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .string("text \(number)")
        case 1: return .array([integer, "x"])
        default: return integer
        }
    }

    /// The entries of a snapshot as a process with all keys would have them.
    private func view(_ table: PropertyListTable) -> [UTF8Text: PropertyListValue] {
        var view: [UTF8Text: PropertyListValue] = [:]
        let naming = NestedNaming(groups: Self.all)
        var table = table
        table.naming = naming
        for (key, value) in table.listed(by: naming.listing) { view[UTF8Text(key)] = value }
        return view
    }

    private func difference(_ table: PropertyListTable, _ words: String) -> String? {
        let seen = view(table)
        if seen == expected { return nil }
        let keys = Set(seen.keys).union(expected.keys).filter { seen[$0] != expected[$0] }
        return "\(words): "
            + keys.map { key in
                "\(key.wrappedValue): has \(seen[key].map { "\($0)" } ?? "none"), expected \(expected[key].map { "\($0)" } ?? "none")"
            }.joined(separator: "; ") + "\nsnapshot \(table)\nfile \(text)"
    }

    private var text: String { disk.bytes(of: path).map { String(decoding: $0, as: UTF8.self) } ?? "none" }

    mutating func step() throws -> String? {
        let index = processes.indices.randomElement(using: &random) ?? 0
        let (process, keys) = processes[index]
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<6:
            process.look()
            var writes: [String: PropertyListValue?] = [:]
            let mine = keys.isEmpty ? ["port"] : keys
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let key = mine.randomElement(using: &random) ?? "port"
                // Other processes have a dictionary there.
                if key == "a.b" || key == "a", !keys.contains("a") { continue }
                writes[key] = .some(Int.random(in: 0..<3, using: &random) == 0 ? nil : value())
            }
            log.append("\(index) saves \(writes)")
            hasRemovals = hasRemovals || writes.contains { $1 == nil && expected[UTF8Text($0)] != nil }
            for (key, value) in writes { expected[UTF8Text(key)] = value }
            try process.save(writes)
            return difference(process.store.snapshot(), "own view after save")
        case 6:
            if keys.count < Self.keys.count { return nil }
            log.append("\(index) removes all")
            process.look()
            var writes: [String: PropertyListValue?] = [:]
            for key in process.store.snapshot().sortedKeys { writes[key] = .some(nil) }
            (expected, hasRemovals) = ([:], true)
            try process.save(writes)
            return difference(process.store.snapshot(), "own view after removal of all")
        case 7, 8:
            log.append("\(index) passes time")
            process.look()
            process.passTime()
            return difference(process.store.snapshot(), "own view after time")
        case 9:
            log.append("\(index) looks")
            process.look()
            return difference(process.store.snapshot(), "view after look")
        case 10:
            processes[index] = try start()
            log.append("\(index) starts again with \(processes[index].keys)")
            return difference(processes[index].process.store.snapshot(), "view after start")
        case 11:
            try settle()
            if !hasRemovals, let lost = comments.first(where: { !text.contains($0) }) {
                return "lost comment: \(lost)\n\(text)"
            }
            let fresh = try ProcessDouble(path: path, keys: Self.keys, fileSystem: disk.startProcess())
            if let failure = difference(fresh.store.snapshot(), "fresh view") { return failure }
            for (number, other) in processes.enumerated() {
                if let failure = difference(other.process.store.snapshot(), "settled view") {
                    return "\(failure) process \(number)"
                }
                if !other.process.failures.isEmpty { return "failures: \(other.process.failures)" }
            }
            return nil
        case 12:
            try settle()
            log.append("settled, a person edits")
            try edit(whole: true)
        default:
            if !mayEditOutstanding {
                try settle()
                if Bool.random(using: &random) { disk.passTime(60_000_000_000) }
            }
            log.append("a person edits a value")
            try editOne()
        }
        for other in processes { other.process.look() }
        for (number, other) in processes.enumerated() {
            if let failure = difference(other.process.store.snapshot(), "view after edit") {
                return "\(failure) process \(number)"
            }
        }
        return nil
    }

    private func settle() throws {
        for _ in 0..<2 {
            for (process, _) in processes {
                process.look()
                try process.store.synchronize()
                process.passTime()
            }
        }
        for (process, _) in processes { process.look() }
    }

    /// A person writes the file anew, in any shape.
    private mutating func edit(whole: Bool) throws {
        (comments, hasRemovals) = ([], false)
        for key in Self.keys where Int.random(in: 0..<3, using: &random) == 0 {
            expected[UTF8Text(key)] = Bool.random(using: &random) ? nil : value()
        }
        let text = object(expected.map { ($0.key.wrappedValue, $0.value) }.sorted { $0.0 < $1.0 }, prefix: "")
        let bom = Int.random(in: 0..<5, using: &random) == 0 ? "\u{FEFF}" : ""
        if whole { disk.passTime(60_000_000_000) }
        try put(bom + space() + text + space())
        log.append("file \((bom + text).debugDescription)")
    }

    /// A person changes the value of one entry of the file as it stands.
    private mutating func editOne() throws {
        let bytes = disk.bytes(of: path) ?? []
        let codec = JSONFileCodec(allowingComments: true)
        var table = try codec.decode(bytes)
        let naming = NestedNaming(groups: Self.all)
        table.naming = naming
        guard let key = table.listed(by: naming.listing).sortedKeys.randomElement(using: &random) else { return }
        number += 1
        table[key] = .init(number)
        expected[UTF8Text(key)] = .init(number)
        log.append("\(key) becomes \(number)")
        try put(String(decoding: codec.encode(table), as: UTF8.self))
    }

    private func put(_ text: String) throws {
        disk.passTime(1_000_000)
        try disk.write(Array(text.utf8), to: "/data/edited")
        try disk.renameFile("/data/edited", to: path)
    }

    private mutating func space() -> String {
        let space = ["", " ", "\n  ", "\r\n\t", "\n\n"].randomElement(using: &random) ?? ""
        guard Int.random(in: 0..<4, using: &random) == 0 else { return space }
        number += 1
        let comment = "#\(number)#"
        comments.append(comment)
        return Bool.random(using: &random) ? "\(space)/* \(comment), */" : "\(space)// \(comment) }\n"
    }

    private mutating func object(_ entries: [(String, PropertyListValue)], prefix: String) -> String {
        var members: [(String, String)] = []
        var rest = entries
        while let (key, value) = rest.first {
            let name = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
            let groups = GroupNames.groups(around: key).filter {
                $0.utf8.count > prefix.utf8.count && Self.all.contains($0)
            }
            if let group = groups.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0,
                !members.contains(where: { prefix + $0.0 == group })
            {
                let inner = rest.filter { $0.0.hasUTF8Prefix(group + ".") }
                rest.removeAll { $0.0.hasUTF8Prefix(group + ".") }
                let name = String(decoding: group.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
                members.append((name, object(inner, prefix: group + ".")))
            } else {
                rest.removeFirst()
                var writer = JSONWriter(.standard.onOneLine)
                writer.writeValue(value)
                members.append((name, String(decoding: writer.bytes, as: UTF8.self)))
            }
        }
        if Int.random(in: 0..<3, using: &random) > 0 { members.shuffle(using: &random) }
        var text = "{"
        for (number, (name, value)) in members.enumerated() {
            var writer = JSONWriter(.standard.onOneLine)
            writer.writeString(name)
            text +=
                (number > 0 ? "," : "") + space() + String(decoding: writer.bytes, as: UTF8.self) + ": " + value
                + space()
        }
        if !members.isEmpty, Int.random(in: 0..<4, using: &random) == 0 { text += "," + space() }
        return text + space() + "}"
    }
}
