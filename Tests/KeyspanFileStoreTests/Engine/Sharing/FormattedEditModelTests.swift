import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Stores and a person change a file of the person's own layout in turn, against a model of its text and values.
@Suite(.heavy, .seeded) struct FormattedEditModelTests {
    @Test func `whatever is not changed stays as it was written`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(10, thorough: 500, exhaustive: 5_000)) {
            var model = try Model(seed: seed)
            for _ in 0..<30 { try model.step() }
            try model.check()
        }
    }
}

private struct Model {
    private static let path = "/data/file.json"

    private let seed: UInt64
    private let disk = SimulatedDisk(.init(callDuration: 1_000))
    private var handwriting: RandomHandwriting
    /// The text at the last check, with the edits of the person since.
    private var text: HandwrittenText
    private var values: [String: PropertyListValue]
    /// The keys whose value changed since the last check, and those that were absent meanwhile.
    private var (changed, removed): (Set<String>, Set<String>) = ([], [])
    /// Whether the stores take the file for unsorted until they read it again.
    private var wasUnsorted = false
    private var stores: [ProcessDouble?] = [nil, nil]
    private let options: [FileStoreOptions]
    private var active = 0
    private var editCount = 0

    init(seed: UInt64) throws {
        self.seed = seed
        handwriting = RandomHandwriting(random: SeededGenerator(seed: seed))
        (text, values) = handwriting.file()
        try disk.write(Array(text.text.utf8), to: Self.path)
        let modes = FileStoreOptions.modes
        options = [handwriting.pick(modes), handwriting.pick(modes)]
    }

    /// A store that has everything that was written before.
    private mutating func store() throws -> ProcessDouble {
        let number = handwriting.pick([0, 1])
        try stores[active]?.store.synchronize()
        let store =
            try stores[number]
            ?? ProcessDouble(path: Self.path, options: options[number], fileSystem: disk.startProcess())
        store.look()
        (stores[number], active) = (store, number)
        return store
    }

    mutating func step() throws {
        let store = try store()
        #expect(store.store.snapshot() == PropertyListTable(values), "seed \(seed)")
        switch Int.random(in: 0..<16, using: &handwriting.random) {
        case 0..<7: try write(to: store)
        case 7: try apply(values.keys.sorted().map { ($0, nil) }, to: store)
        case 8, 9: store.passTime()
        case 10: store.passMoment()
        case 11:
            try store.store.synchronize()
            stores[active] = nil
        case 12, 13: try edit(besides: store)
        case 14: try replaceFile()
        default: try check()
        }
    }

    private mutating func write(to store: ProcessDouble) throws {
        var writes: [String: PropertyListValue?] = [:]
        for _ in 0..<handwriting.pick([1, 1, 3]) {
            let known =
                handwriting.happens(oneIn: 2) ? values.keys.sorted().randomElement(using: &handwriting.random) : nil
            let key =
                known ?? (RandomHandwriting.keys + ["n", "0", "zz", "ÿ"]).randomElement(using: &handwriting.random)
                ?? "a"
            writes[key] = .some(handwriting.happens(oneIn: 3) ? nil : handwriting.value().value)
        }
        try apply(writes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: store)
    }

    private mutating func apply(_ writes: [(String, PropertyListValue?)], to store: ProcessDouble) throws {
        var batch = PropertyListBatch()
        for (key, value) in writes {
            batch.set(value, forKey: key)
            if values[key] != value { changed.insert(key) }
            if value == nil, values[key] != nil { removed.insert(key) }
            values[key] = value
        }
        try store.store.apply(batch)
    }

    /// A person changes one value of the file as it stands, which may lack what is in the journal.
    private mutating func edit(besides store: ProcessDouble) throws {
        try store.store.synchronize()
        var edited = HandwrittenText(try #require(disk.bytes(of: Self.path)))
        let places = edited.members.indices.filter { edited.members[$0].value != "null" }
        guard let place = places.randomElement(using: &handwriting.random) else { return }
        let key = edited.members[place].key
        editCount += 1
        edited.members[place].value = "\(1_000 + editCount).50"
        values[key] = .real(Double(1_000 + editCount) + 0.5)
        changed.insert(key)
        try put(edited)
    }

    /// A person brings a file of another layout with other values, longer after the last checkpoint than a program would.
    private mutating func replaceFile() throws {
        try check()
        disk.passTime(60_000_000_000)
        (text, values) = handwriting.file()
        (changed, removed, wasUnsorted) = ([], [], false)
        try put(text)
    }

    private func put(_ text: HandwrittenText) throws {
        disk.passTime(1_000_000)
        try disk.write(Array(text.text.utf8), to: "/data/edited")
        try disk.renameFile("/data/edited", to: Self.path)
        for store in stores { store?.look() }
    }

    /// Checks the file after all stores have made their checkpoints.
    mutating func check() throws {
        try store().store.synchronize()
        for _ in 0..<2 {
            for store in stores {
                store?.look()
                store?.passTime()
            }
        }
        let found = HandwrittenText(try #require(disk.bytes(of: Self.path)))
        #expect(found.parsed?.count == values.count, "seed \(seed): \(found.text)")
        for (key, value) in values {
            #expect(found.parsed?[key].map { value.isSame(as: $0) } == true, "seed \(seed): \(key) in \(found.text)")
        }
        checkMembers(of: found)
        checkPlaces(of: found)
        (text, changed, removed) = (found, [], [])
    }

    private func checkMembers(of found: HandwrittenText) {
        let note: Comment = "seed \(seed): \(text.text) became \(found.text)"
        let new = Dictionary(uniqueKeysWithValues: found.members.map { ($0.key, $0) })
        for member in text.members where !removed.contains(member.key) {
            #expect(new[member.key]?.name == member.name, note)
            #expect(new[member.key]?.colon == member.colon, note)
            if !changed.contains(member.key) { #expect(new[member.key]?.value == member.value, note) }
        }
        let stayed = text.keys.filter { !removed.contains(String(decoding: $0, as: UTF8.self)) }
        #expect(found.keys.filter(stayed.contains) == stayed, note)
        // The space between members that were neighbors and still are.
        for (left, right) in zip(text.members, text.members.dropFirst())
        where !removed.contains(left.key) && !removed.contains(right.key) {
            guard let place = found.keys.firstIndex(of: Array(right.key.utf8)), place > 0,
                found.members[place - 1].key == left.key
            else { continue }
            #expect(
                found.members[place - 1].after + "," + found.members[place].before == left.after + "," + right.before,
                note
            )
        }
    }

    private mutating func checkPlaces(of found: HandwrittenText) {
        let note: Comment = "seed \(seed): \(text.text) became \(found.text)"
        if !text.isSorted { wasUnsorted = true }
        if !wasUnsorted { #expect(found.isSorted, note) }
        if !text.isSorted, removed.isEmpty { #expect(found.keys.starts(with: text.keys), note) }
        #expect(found.head == text.head, note)
        guard removed.isEmpty, let first = text.members.first else { return }
        #expect(found.members.first?.before == first.before, note)
        #expect(found.tail == text.tail, note)
        guard first.before.utf8.contains(UInt8(ascii: "\n")) else { return }
        let old = Set(text.keys)
        for (number, member) in zip(found.keys.indices, found.members).dropFirst()
        where !old.contains(found.keys[number]) {
            #expect(first.before.utf8.reversed().starts(with: member.before.utf8.reversed()), note)
            #expect(member.before.utf8.contains(UInt8(ascii: "\n")), note)
        }
    }
}

extension PropertyListValue {
    /// Whether a value that Foundation parsed is this one.
    fileprivate func isSame(as parsed: Any) -> Bool {
        switch self {
        case .boolean(let value): parsed as? Bool == value
        case .integer(let value): (parsed as? NSNumber)?.int64Value == value.converted(to: Int64.self)
        case .real(let value): (parsed as? NSNumber)?.doubleValue == value
        case .string(let value): (parsed as? String).map { $0.utf8.elementsEqual(value.utf8) } ?? false
        case .array(let values):
            (parsed as? [Any]).map { $0.count == values.count && zip(values, $0).allSatisfy { $0.isSame(as: $1) } }
                ?? false
        case .dictionary(let values):
            (parsed as? [String: Any]).map { parsed in
                let present = parsed.filter { !($0.value is NSNull) }
                return present.count == values.count
                    && values.allSatisfy { entry in present[entry.key].map { entry.value.isSame(as: $0) } ?? false }
            } ?? false
        case .date, .data: false
        }
    }
}
