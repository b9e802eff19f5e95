import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

/// Names with dots lead into dictionaries, the same way whoever asks.
@Suite struct NestedNamingTests {
    private static let keys = [
        "port", "tls.port", "tls.host", "tls.client.port", "tls.client.name", "log.level", "headers",
    ]

    private static func naming(
        of keys: [String] = keys,
        _ newNames: NestedNaming.NewNames = .likeOthers,
        deepestCounts: Bool = false
    ) -> NestedNaming {
        NestedNaming(groups: GroupNames(of: keys), newNames: newNames, deepestCounts: deepestCounts)
    }

    /// A name that a table has, once or more often.
    struct Lookup: CustomTestStringConvertible {
        let table: PropertyListTable
        let name: String
        /// The value in the fewest dictionaries.
        let dotted: PropertyListValue?
        /// The value in the most dictionaries.
        let deepest: PropertyListValue?

        init(_ table: PropertyListTable, _ name: String, _ dotted: PropertyListValue?, _ deepest: PropertyListValue?) {
            (self.table, self.name, self.dotted, self.deepest) = (table, name, dotted, deepest)
        }

        var testDescription: String { "\(name) in \(table.dictionary)" }
    }

    private static let lookups = [
        Lookup(["tls": ["port": 1]], "tls.port", 1, 1),
        Lookup(["tls": ["port": 1]], "tls", ["port": 1], ["port": 1]),
        Lookup(["tls": ["port": 1], "tls.port": 2], "tls.port", 2, 1),
        Lookup(["tls.client": ["port": 2], "tls": ["client": ["port": 1]]], "tls.client.port", 2, 1),
        Lookup(["tls": ["client": ["port": 1], "client.port": 2]], "tls.client.port", 2, 1),
        Lookup(["tls": ["client.port": 1]], "tls.client.port", 1, 1),
        Lookup(
            ["a": ["b": ["c": 1], "b.c": 2], "a.b": ["c": 3], "a.b.c": 4],
            "a.b.c",
            4,
            1
        ),
        // A dictionary without the member is in the way of no other.
        Lookup(["a.b": ["x": 1], "a": ["b": ["c": 2]]], "a.b.c", 2, 2),
        Lookup(["a": ["b": ["x": 1], "b.c": 3]], "a.b.c", 3, 3),
        // Nothing but dictionaries has members.
        Lookup(["tls": [1]], "tls.0", nil, nil),
        Lookup(["tls": 5], "tls.port", nil, nil),
        Lookup(["tls": ["port": 1]], "tls.port.x", nil, nil),
        // An empty part, or one that begins like a tagged form, leads nowhere.
        Lookup(["": ["a": 1]], ".a", nil, nil),
        Lookup(["a": ["": 1]], "a.", nil, nil),
        Lookup(["a": ["": ["b": 1], ".b": 2]], "a..b", nil, nil),
        Lookup(["a": ["$b": 1]], "a.$b", nil, nil),
        Lookup(["$a": ["b": 1]], "$a.b", nil, nil),
        Lookup(["a.$b": 1, "a": ["$b": 2]], "a.$b", 1, 1),
        Lookup(["a": ["b$": 1]], "a.b$", 1, 1),
        // Names that only look the same.
        Lookup(["é": ["a": 1]], "e\u{301}.a", nil, nil),
        Lookup(["é": ["a": 1]], "é.a", 1, 1),
    ]

    @Test(arguments: lookups)
    func `of several places of a name the rule chooses one`(lookup: Lookup) {
        for (deepestCounts, expected) in [(false, lookup.dotted), (true, lookup.deepest)] {
            var table = lookup.table
            table.naming = Self.naming(deepestCounts: deepestCounts)
            #expect(table[lookup.name] == expected)
            #expect(table.find(lookup.name)?.value == expected)
            #expect(table.findAll(lookup.name).first?.value == expected)
            #expect(table.findAll(lookup.name).allSatisfy { table.value(at: $0.place) == $0.value })
            // The keys make no difference, nor does what is written to another name.
            table.naming = NestedNaming(deepestCounts: deepestCounts)
            #expect(table[lookup.name] == expected)
            table["z.other"] = 5
            #expect(table[lookup.name] == expected)
        }
        #expect(lookup.table[lookup.name] == lookup.table.entry(lookup.name))
    }

    @Test(arguments: lookups)
    func `a write replaces the value that counts, and a removal removes all`(lookup: Lookup) throws {
        for deepestCounts in [false, true] {
            var table = lookup.table
            table.naming = Self.naming(deepestCounts: deepestCounts)
            let places = table.findAll(lookup.name).map(\.place)
            var written = table
            written[lookup.name] = "new"
            #expect(written[lookup.name] == "new")
            if let first = places.first { #expect(written.value(at: first) == "new") }
            for place in places.dropFirst() { #expect(written.value(at: place) == table.value(at: place)) }
            var removed = table
            removed[lookup.name] = nil
            #expect(removed[lookup.name] == nil && removed.findAll(lookup.name).isEmpty)
            for place in places { #expect(removed.value(at: place) == nil) }
            // A batch does the same.
            for (value, expected) in [(PropertyListValue?.some("new"), written), (nil, removed)] {
                var (batch, result) = (PropertyListBatch(), table)
                if let value { batch.set(value, forKey: lookup.name) } else { batch.remove(lookup.name) }
                _ = try result.applyNamed(batch, store: "test")
                #expect(result == expected)
                var other = table
                other.applyWrites(of: batch)
                #expect(other == expected)
            }
        }
    }

    @Test func `a name leads through a limited number of dictionaries`() {
        func chain(_ count: Int) -> (name: String, table: PropertyListTable) {
            let value = (1..<count).reduce(PropertyListValue.integer(1)) { inner, _ in ["a": inner] }
            return (Array(repeating: "a", count: count).joined(separator: "."), ["a": value])
        }
        let limit = GroupNames.mostLevels + 1
        for count in [limit, limit + 1] {
            var (name, table) = chain(count)
            table.naming = Self.naming(of: [name])
            #expect(table[name] == (count > limit ? nil : 1))
            var empty = PropertyListTable()
            empty.naming = table.naming
            #expect(empty.place(ofName: name).path.count == (count > limit ? 0 : count - 1))
        }
    }

    @Test func `a name of limited length leads into dictionaries`() {
        for count in [GroupNames.mostBytes, GroupNames.mostBytes + 1] {
            let member = String(repeating: "b", count: count - 2)
            let (name, isLong) = ("a.\(member)", count > GroupNames.mostBytes)
            let value = PropertyListValue.dictionary([member: ["c": 1]])
            var (table, empty): (PropertyListTable, PropertyListTable) = (["a": value], [:])
            table.naming = Self.naming(of: [name])
            empty.naming = table.naming
            #expect(table[name] == (isLong ? nil : ["c": 1]))
            #expect(empty.place(ofName: name).path.count == (isLong ? 0 : 1))
            #expect("a".entries(changedByWriting: value).contains(name) == !isLong)
            #expect("a".entries(changedByWriting: value).contains("\(name).c") == false)
            #expect(table.listed(by: table.naming?.listing).listed["a"] == (isLong ? value : nil))
        }
    }

    /// A name that a table does not have, and the names on the way to its place.
    struct NewName: CustomTestStringConvertible {
        let table: PropertyListTable
        let name: String
        let nested: [String]
        let flat: [String]
        let likeOthers: [String]

        init(
            _ table: PropertyListTable,
            _ name: String,
            nested: [String],
            flat: [String],
            likeOthers: [String]
        ) {
            (self.table, self.name) = (table, name)
            (self.nested, self.flat, self.likeOthers) = (nested, flat, likeOthers)
        }

        init(_ table: PropertyListTable, _ name: String, always path: [String]) {
            self.init(table, name, nested: path, flat: path, likeOthers: path)
        }

        var testDescription: String { "\(name) in \(table.dictionary)" }

        func check(_ naming: (NestedNaming.NewNames) -> NestedNaming) {
            for (newNames, path) in [
                (NestedNaming.NewNames.nested, nested), (.flat, flat), (.likeOthers, likeOthers),
            ] {
                var table = table
                table.naming = naming(newNames)
                let place = table.place(ofName: name)
                #expect([place.key] + place.path == path, "\(newNames)")
                #expect(place.name == name)
                let before = table
                table[name] = 9
                #expect(table[name] == 9 && table.value(at: place) == 9, "\(newNames)")
                // No other value gets lost.
                for (key, value) in before where key != place.key { #expect(table.entry(key) == value) }
                table.setValue(nil, at: place)
                #expect(table[name] == nil)
            }
        }
    }

    @Test(arguments: [
        NewName(
            [:],
            "tls.client.port",
            nested: ["tls", "client", "port"],
            flat: ["tls.client.port"],
            likeOthers: ["tls", "client", "port"]
        ),
        NewName(
            ["tls.port": 1],
            "tls.host",
            nested: ["tls", "host"],
            flat: ["tls.host"],
            likeOthers: ["tls.host"]
        ),
        NewName(
            ["tls": ["port": 1]],
            "log.level",
            nested: ["log", "level"],
            flat: ["log.level"],
            likeOthers: ["log", "level"]
        ),
        NewName(
            ["tls": ["port": 1], "tls.host": 1, "tls.client.port": 1, "a.b": 1],
            "log.level",
            nested: ["log", "level"],
            flat: ["log.level"],
            likeOthers: ["log", "level"]
        ),
        NewName(
            ["tls": [:], "tls.host": 1, "tls.client.port": 1],
            "log.level",
            nested: ["log", "level"],
            flat: ["log.level"],
            likeOthers: ["log.level"]
        ),
        // In the innermost dictionary that is there, beside sisters with dots with a dot.
        NewName(
            ["tls": ["port": 1]],
            "tls.client.port",
            nested: ["tls", "client", "port"],
            flat: ["tls.client.port"],
            likeOthers: ["tls", "client", "port"]
        ),
        NewName(
            ["tls": ["client.name": "a"]],
            "tls.client.port",
            nested: ["tls", "client.port"],
            flat: ["tls.client.port"],
            likeOthers: ["tls", "client.port"]
        ),
        NewName(["tls": ["client": [:]]], "tls.client.port", always: ["tls", "client", "port"]),
        NewName(["tls.client": ["name": "a"]], "tls.client.port", always: ["tls.client", "port"]),
        NewName(["tls": ["port": 1]], "tls.unknown", always: ["tls", "unknown"]),
        // A value that is no dictionary has no members.
        NewName(["log": 5], "log.level", always: ["log.level"]),
        NewName(["log": [5]], "log.level", always: ["log.level"]),
        NewName(
            ["tls": ["client": 5]],
            "tls.client.port",
            nested: ["tls", "client.port"],
            flat: ["tls.client.port"],
            likeOthers: ["tls", "client.port"]
        ),
        // No key makes groups of these.
        NewName([:], "a.b", always: ["a.b"]),
        NewName(["a": ["c": 1]], "a.b", always: ["a.b"]),
        NewName(["tls": [:]], "tls.$data", always: ["tls.$data"]),
        NewName(["tls": [:]], "tls..port", always: ["tls..port"]),
        NewName(["tls": [:]], "tls.", always: ["tls."]),
        NewName(["": [:]], ".port", always: [".port"]),
    ])
    func `a new name goes where the others are`(name: NewName) {
        name.check { Self.naming($0) }
    }

    @Test(arguments: [
        NewName([:], "tls.port", always: ["tls.port"]),
        NewName(["tls": ["x": 1]], "tls.port", always: ["tls.port"]),
        NewName([:], "log.file.path", always: ["log.file.path"]),
    ])
    func `a key with the name of a group keeps its value to itself`(name: NewName) {
        name.check { Self.naming(of: ["tls", "tls.port", "log.level", "log.file", "log.file.path"], $0) }
    }

    @Test func `the keys of a naming grow, and stay the same naming if none is new`() {
        let naming = Self.naming(of: ["tls.port"])
        #expect(naming.with(["tls.port"]) === naming && naming.with([]) === naming)
        var table = PropertyListTable()
        table.naming = naming.with(["log.level"])
        #expect(table.place(ofName: "log.level").path == ["level"])
        #expect(table.place(ofName: "tls.port").path == ["port"])
    }

    @Test(
        arguments: [
            (["tls": ["port": 1]], []),
            (["tls": ["port": 1], "tls.host": 2], []),
            (["tls": ["port": 1], "tls.port": 2], ["tls.port"]),
            (["tls.client": ["port": 2], "tls": ["client": ["port": 1]]], ["tls.client.port"]),
            (["tls": ["client": ["port": 1], "client.port": 2]], ["tls.client.port"]),
            (["tls": ["client": ["port": 1], "client.port": 2], "tls.client.port": 3], ["tls.client.port"]),
            (
                ["tls": ["client": ["port": 1, "name": 2]], "tls.client": ["port": 2, "x": 1], "tls.client.name": 3],
                ["tls.client.name", "tls.client.port"]
            ),
            (["tls": ["unknown": 1], "tls.unknown": 1], ["tls.unknown"]),
            // Names of no group's values are just names.
            (["a": ["b": 1], "a.b": 2], []),
            (["tls": ["$data": 1], "tls.$data": 2], []),
            (["tls": 1, "tls.port": 2], []),
        ] as [(PropertyListTable, [String])]
    )
    func `names that are there twice are found`(table: PropertyListTable, names: [String]) {
        for deepestCounts in [false, true] {
            var table = table
            #expect(table.namesHeldTwice == [])
            table.naming = Self.naming(deepestCounts: deepestCounts)
            #expect(table.namesHeldTwice == names)
            for name in names {
                #expect(table.findAll(name).count > 1)
                table[name] = nil
            }
            #expect(table.namesHeldTwice == [])
        }
    }

    // MARK: Random writes to names that lead into one another

    private static let names = keys + ["tls", "tls.client", "log", "a", "a.b", "a.b.c", "a.b.x", "é.a"]

    private static func table(_ random: inout SeededGenerator, isListed: Bool) -> PropertyListTable {
        var table = lookups[Int.random(in: lookups.indices, using: &random)].table
        table.naming = naming(deepestCounts: Bool.random(using: &random))
        table.listing = isListed ? EntryListing(of: keys) : nil
        return table
    }

    private static func write(to edit: inout PropertyListEdit, _ random: inout SeededGenerator) {
        let name = names[Int.random(in: names.indices, using: &random)]
        let number = PropertyListValue(Int.random(in: 0..<3, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: edit.removeAll()
        case 1, 2: edit[name] = nil
        case 3, 4: edit[name] = ["port": number, "client": ["port": number], "b": ["c": number], "client.name": number]
        default: edit[name] = number
        }
    }

    @Test(.seeded, arguments: [false, true])
    func `an edit reads what its writes make of the table`(isListed: Bool) throws {
        for seed in SeededGenerator.seeds(300) {
            var random = SeededGenerator(seed: seed)
            let table = Self.table(&random, isListed: isListed)
            var edit = PropertyListEdit(table)
            for _ in 0..<10 {
                Self.write(to: &edit, &random)
                var expected = table
                _ = try expected.applyNamed(edit.batch, store: "test")
                for name in Self.names.shuffled(using: &random).prefix(5) {
                    let found = edit[name]
                    try #require(
                        found == expected[name],
                        "seed \(seed): \(name) in \(table.dictionary) after \(edit.batch.operations)"
                    )
                }
            }
        }
    }

    @Test(.seeded) func `a change has each observed name that differs, of few observed names and of many`() throws {
        let others = (0..<200).map { "other \($0)" }
        for seed in SeededGenerator.seeds(1_000) {
            var random = SeededGenerator(seed: seed)
            var table = Self.table(&random, isListed: false)
            let before = table
            var edit = PropertyListEdit(table)
            for _ in 0..<Int.random(in: 1..<4, using: &random) { Self.write(to: &edit, &random) }
            let change = try table.applyNamed(edit.batch, store: "test")
            for observed in [Self.names, Self.names + others] + Self.names.map({ [$0] }) {
                let expected = Set(observed.filter { before[$0] != table[$0] })
                let part = change.part(concerning: Set(observed.map { UTF8Text($0) }))
                let found = Set((part?.entries ?? []).map(\.key))
                try #require(found == expected, "seed \(seed): \(edit.batch.operations) to \(before.dictionary)")
            }
        }
    }
}
