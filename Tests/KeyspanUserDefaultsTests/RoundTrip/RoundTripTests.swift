import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import KeyspanUserDefaults
import Testing

/// The laws of all types of values and all stores.
@Suite(.heavy, .seeded) struct RoundTripTests {
    private static let count = TestLevel.current.pick(2, thorough: 6, exhaustive: 120)

    /// The table, with the types that only full Foundation has.
    private static let rows: [TypedValues] = {
        var rows = TypedValues.table
        rows.add(["en_US", "de", ""].map { Locale(identifier: $0) }) {
            Locale(identifier: HostileTexts.random(using: &$0))
        }
        rows.add([TimeZone(secondsFromGMT: 0), TimeZone(identifier: "Europe/Berlin")].compactMap(\.self)) {
            TimeZone(secondsFromGMT: Int.random(in: -128..<128, using: &$0) * 60)
        }
        rows.add([0.0, -0.0, 0.1, .infinity].map { CGFloat($0) })
        rows.add([.zero, CGPoint(x: -1.5, y: .infinity)])
        rows.add([CGSize(width: 0.1, height: .leastNonzeroMagnitude)])
        rows.add([CGRect(x: 1, y: 2, width: 3, height: 4)])
        return rows
    }()

    /// Writes values under names, those that the store certainly holds in one batch, which is quicker.
    ///
    /// - Returns: The values that were written, and those that were wrongly refused or taken.
    private static func write(
        _ values: [(name: String, value: TypedValue)],
        to store: any PropertyListStore,
        of kind: RoundTripStore
    ) throws -> (written: [(name: String, value: TypedValue)], wrong: [String]) {
        func isHeld(_ name: String, _ value: TypedValue) -> Bool {
            kind.holds(name) && (try? value.stored.get()).map { kind.holds($0) } ?? true
        }
        var written: [(name: String, value: TypedValue)] = []
        var wrong: [String] = []
        let (sure, others) = (
            values.filter { kind != .memory && isHeld($0.name, $0.value) && !$0.value.mayBeRefused },
            values.filter { kind == .memory || !isHeld($0.name, $0.value) || $0.value.mayBeRefused }
        )
        for (name, value) in others {
            let isHeld = isHeld(name, value)
            do throws(Defaults.WriteError) {
                try value.write(store, name)
                written.append((name, value))
                if !isHeld && !value.mayBeRefused { wrong.append("\(value) is taken") }
            } catch {
                if isHeld && !value.mayBeRefused { wrong.append("\(value) is refused: \(error)") }
                if store.value(forKey: name) != nil { wrong.append("\(value) is refused and written") }
            }
        }
        try Defaults(store).commit { batch in
            for (name, value) in sure {
                do throws(Defaults.WriteError) {
                    try value.add(&batch, name)
                    written.append((name, value))
                } catch {
                    wrong.append("\(value) is refused: \(error)")
                }
            }
        }
        // A rounded value is another one.
        return (written.filter { (try? $0.value.stored.get()).map { !kind.rounds($0) } ?? true }, wrong)
    }

    private static func values(
        named name: (inout SeededGenerator, Int) -> String
    ) -> [(name: String, value: TypedValue)] {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let values = rows.flatMap { $0.values(count, using: &generator) }
        return values.enumerated().map { (name(&generator, $0), $1) }
    }

    /// A store returns what was written, and does not hold what it refused.
    @Test(arguments: RoundTripStore.allCases)
    func `values of every type are read as they were written, or refused`(kind: RoundTripStore) throws {
        let values = Self.values { HostileTexts.name(using: &$0) + "\($1)" }
        let folder = try TemporaryFolder()
        // As long as the stores, which would take the end of the file for a change.
        defer { withExtendedLifetime(folder) {} }
        var (written, wrong): ([(name: String, value: TypedValue)], [String]) = ([], [])
        func compare(in store: any PropertyListStore, _ place: String) {
            wrong += written.compactMap { name, value in
                value.difference(store, name).map { "\(value) under \(String(reflecting: name)), \(place): \($0)" }
            }
        }
        let store = try kind.reopened(in: folder) { store in
            (written, wrong) = try Self.write(values, to: store, of: kind)
            for value in Self.rows.flatMap(\.refused) {
                #expect(throws: Defaults.WriteError.self, "\(value)") { try value.write(store, "refused") }
            }
            #expect(store.value(forKey: "refused") == nil)
            compare(in: store, "before it is saved")
        }
        compare(in: store, "reopened")
        expectNone(wrong)
        #expect(written.count > Self.rows.count)
    }

    /// Equal values have equal stored forms, so that a write of the present value is none.
    @Test(arguments: RoundTripStore.allCases.filter(\.keepsForms))
    func `a write of an equal value changes nothing`(kind: RoundTripStore) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var written: [(name: String, value: TypedValue)] = []
        let store = try kind.reopened(in: folder) { store in
            written = try Self.write(Self.values { "value\($1)" }, to: store, of: kind).written
        }
        func bytes() throws -> [[UInt8]] {
            try ["settings.json", "settings.plist"].filter(folder.contains).map { try folder.bytes(of: $0) }
        }
        try store.synchronize()
        let before = try bytes()
        let changes = Recorder<PropertyListChange>()
        let observation = store.observe(.all, initial: false) { changes($0) }
        try Defaults(store).commit { batch in for (name, value) in written { try value.add(&batch, name) } }
        try Defaults(store).commit { batch in for (name, value) in written { try value.rebuilt?().add(&batch, name) } }
        observation.cancel()
        let names = Dictionary(uniqueKeysWithValues: written.map { ($0.name, $0.value.description) })
        expectNone(changes.values.flatMap(\.entries).map { "\(names[$0.key] ?? "") is written anew as \($0)" })
        try store.synchronize()
        // Otherwise the journal has the values.
        if !before.isEmpty, changes.values.isEmpty { #expect(try bytes() == before) }
    }

    /// A key can write every value that it reads, and reads it again.
    @Test func `a stored value of any form is an error or a value that can be written and read`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let samples = Self.rows.flatMap(\.samples)
        let forms = samples.compactMap { try? $0.stored.get() } + samples.compactMap(\.readable)
        let count = TestLevel.current.pick(40, thorough: 400, exhaustive: 4_000)
        var (wrong, taken): ([String], Int) = ([], 0)
        for row in Self.rows {
            // Its own forms are more likely to be read.
            let own = row.samples.compactMap { try? $0.stored.get() }
            for number in 0..<count {
                var form = (number.isMultiple(of: 2) ? own : forms).randomElement(using: &generator) ?? 1
                if Bool.random(using: &generator) { form = form.damaged(using: &generator) }
                if form.isNestedDeeper() { continue }
                let store = InMemoryStore(["value": form])
                guard case .success(let value?) = row.read(store, "value") else { continue }
                taken += 1
                guard case .success(let again) = value.stored else { continue }
                guard let difference = value.difference(InMemoryStore(["value": again]), "value") else { continue }
                wrong.append("\(form) as \(value): \(difference)")
            }
        }
        expectNone(wrong)
        #expect(taken > Self.rows.count * count / 10)
    }

    @Test(
        arguments: RoundTripStore.allCases.filter { ![.jsonOfTexts, .jsonInOtherForm, .jsonReadAsTexts].contains($0) }
    )
    func `every hostile text is held as a value, as a name in it and as a key`(kind: RoundTripStore) throws {
        let texts = HostileTexts.all.filter(kind.holds)
        let names = texts.filter { !$0.isEmpty && !$0.unicodeScalars.contains("\0") }
        let list = PropertyListValue.array(texts.map { .string($0) })
        let entries = PropertyListValue.dictionary(
            PropertyListDictionary(
                texts.enumerated().map { (key: $1, value: .integer(PropertyListInteger(Int64($0)))) }
            )
        )
        let single = PropertyListValue.array(texts.map { .dictionary([$0: .string($0)]) })
        var batch = PropertyListBatch()
        for name in names { batch.set(.string(name), forKey: "key " + name) }
        for (key, value) in [("list", list), ("entries", entries), ("single", single)] { batch.set(value, forKey: key) }
        for name in names { batch.set(.array([.string(name)]), forKey: name) }
        let expected = PropertyListTable(
            batch.operations.reduce(into: PropertyListDictionary()) { table, operation in
                if case .set(let value, let key) = operation { table[key] = value }
            }
        )
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try kind.reopened(in: folder) { try $0.apply(batch) }
        let read = store.snapshot()
        // One expectation, because thousands take longer than the comparisons.
        let wrong = expected.filter { store.value(forKey: $0.key) != $0.value || read[$0.key] != $0.value }
        #expect(wrong.isEmpty, "\(wrong.map { String(reflecting: $0.key) })")
        #expect(kind != .memory || read == expected)
    }
}

/// Foundation's coders and the keys of `Codable` types read what the others wrote.
@Suite struct FoundationCoderTests {
    @Test func `a value that JSONEncoder wrote is read, and JSONDecoder reads what a key writes`() throws {
        try check { value, forms in
            guard forms.isJSONText, let data = try? forms.json() else { return nil }
            for form in [.data(data), .string(String(decoding: data, as: UTF8.self))] as [PropertyListValue] {
                if let difference = value.difference(InMemoryStore(["value": form]), "value") {
                    return "\(form): \(difference)"
                }
            }
            guard case .string(let text) = try value.stored.get() else { return "is no text" }
            return try forms.isInJSON(Data(text.utf8)) ? nil : "JSONDecoder makes another value"
        }
    }

    @Test func `a value that PropertyListEncoder wrote is read, and PropertyListDecoder reads what a key writes`()
        throws
    {
        try check { value, forms in
            let form = try value.stored.get()
            // Foundation takes a text for nil that this form escapes.
            guard !forms.isJSONText, !form.description.contains("$null"), let data = try? forms.propertyList() else {
                return nil
            }
            let table = try PropertyListData.parseTable(Array(data))
            if let difference = value.difference(InMemoryStore(table), "value") { return "\(table): \(difference)" }
            let written: PropertyListTable = ["value": form]
            let bytes = try PropertyListData.encode(written, as: .binary)
            return try forms.isInPropertyList(Data(bytes)) ? nil : "PropertyListDecoder makes another value"
        }
    }

    private func check(_ law: (TypedValue, TypedValue.FoundationForms) throws -> String?) throws {
        var (wrong, count): ([String], Int) = ([], 0)
        for value in TypedValues.table.flatMap(\.samples) where !value.mayBeRefused {
            guard let forms = value.foundation else { continue }
            count += 1
            do {
                if let difference = try law(value, forms) { wrong.append("\(value): \(difference)") }
            } catch {
                wrong.append("\(value): \(error)")
            }
        }
        expectNone(wrong)
        #expect(count > 100)
    }
}
