import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting

extension TypedValues {
    /// Every type of the core that keys have, every bridge, and every shape of a type of one's own, with values at their limits.
    ///
    /// All laws about values are tested over this one table. A test of a module with further types adds rows for them.
    package static let table: [TypedValues] = [
        scalars, texts, forPeople, collections, dictionaries, rawValues, cases, structures, singles, others,
    ].flatMap(\.self)

    // MARK: - Parts of values

    private static let shortTexts = [
        "", "a", "null", "$null", "$$null", "1", "true", "yes", "\"a\"", "{}", "[1]", "a.b", "$data", "nan", "a,b",
        "a=b",
        "5s", "\u{E9}", "e\u{301}", "\u{1F600}", "\u{0}", "\u{1}", "\n\t\r", " a ", "'", "\\", "<0fbd>", "(a)",
        "2026-11-21T10:50:00Z",
    ]
    private static let longText = String(repeating: "long \u{E9} ", count: 2_000)
    /// Members that look like a value that JSON has no form for, so that a file escapes them.
    private static let tags: [[String: String]] = [
        ["$data": "aGk="], ["$date": "2026-11-21T10:50:00Z"], ["$real": "nan"], ["$dictionary": "a"], ["$data": "?"],
        ["$null": ""],
    ]
    private static let reals = [
        0, -0.0, 1, 0.1, -2.5, 1e300, 0x1p53, 0x1p53 + 2, 0x1p63, 1e22, .pi, .leastNonzeroMagnitude,
        .leastNormalMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
    ]
    private static let finiteReals = reals.filter(\.isFinite)
    private static let times = [0, -0.0, 1, -1, 0.5, 816_951_000.25, 0.1, 1e-7, -1e10]
    private static let ids = [
        UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    ]

    private static func text(_ generator: inout SeededGenerator) -> String { HostileTexts.random(using: &generator) }

    private static func texts(_ generator: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0..<4, using: &generator)).map { _ in text(&generator) }
    }

    /// Texts none of which is equal to another one.
    private static func names(_ generator: inout SeededGenerator) -> [String] { Set(texts(&generator)).sorted() }

    private static func dictionary<Element>(
        _ generator: inout SeededGenerator,
        _ element: (inout SeededGenerator) -> Element
    ) -> [String: Element] {
        names(&generator).reduce(into: [:]) { $0[$1] = element(&generator) }
    }

    private static func numbered<Element>(
        _ generator: inout SeededGenerator,
        _ element: (inout SeededGenerator) -> Element
    ) -> [Int: Element] {
        (0..<Int.random(in: 0..<3, using: &generator)).reduce(into: [:]) { $0[$1 * 100 - 100] = element(&generator) }
    }

    private static func integer<Integer: FixedWidthInteger>(_ generator: inout SeededGenerator) -> Integer {
        [0, 1, .min, .max, .random(in: .min ... .max, using: &generator)].randomElement(using: &generator) ?? 0
    }

    private static func real(_ generator: inout SeededGenerator) -> Double {
        let bits = Double(bitPattern: generator.next())
        return Bool.random(using: &generator) ? bits : reals.randomElement(using: &generator) ?? 0
    }

    private static func date(_ generator: inout SeededGenerator) -> Date {
        let seconds = Double(integer(&generator) as Int32) / (Bool.random(using: &generator) ? 1 : 8)
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private static func uuid(_ generator: inout SeededGenerator) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012x", generator.next() >> 16)) ?? UUID()
    }

    private static func set<Element>(_ set: Set<Element>) -> Set<Element> {
        var rebuilt = Set<Element>(minimumCapacity: 1_000)
        for element in Array(set).reversed() { rebuilt.insert(element) }
        return rebuilt
    }

    private static func dictionary<Name, Element>(_ dictionary: [Name: Element]) -> [Name: Element] {
        var rebuilt = [Name: Element](minimumCapacity: 1_000)
        for (name, element) in Array(dictionary).reversed() { rebuilt[name] = element }
        return rebuilt
    }

    private static func unordered(_ value: Sample.Unordered) -> Sample.Unordered {
        Sample.Unordered(
            texts: set(value.texts),
            lists: set(value.lists),
            names: dictionary(value.names),
            numbers: dictionary(value.numbers),
            tags: dictionary(value.tags),
            inner: value.inner.map { set($0) }
        )
    }

    // MARK: - Rows

    private static let scalars: [TypedValues] = {
        var rows: [TypedValues] = []
        func addInteger<Integer>(_: Integer.Type)
        where Integer: FixedWidthInteger & Codable & Sendable & Defaults.Serializable {
            rows.add(codable: [.min, 0, 1, .max] as [Integer]) { integer(&$0) }
        }
        addInteger(Int.self)
        addInteger(Int8.self)
        addInteger(Int16.self)
        addInteger(Int32.self)
        addInteger(Int64.self)
        addInteger(UInt.self)
        addInteger(UInt8.self)
        addInteger(UInt16.self)
        addInteger(UInt32.self)
        addInteger(UInt64.self)
        rows.add(codable: [true, false])
        rows.add(reals, random: real)
        rows.add(
            [0, -0.0, 0.1, 16_777_216, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan]
        ) { Float(bitPattern: UInt32(truncatingIfNeeded: $0.next())) }
        rows.add(
            times.map { Date(timeIntervalSinceReferenceDate: $0) },
            mayBeRefused: [
                Date.distantPast, .distantFuture,
            ]
                + [1e15, 1e300, -1e300, .infinity, .nan, 63_113_904_000 * 5].map {
                    Date(timeIntervalSinceReferenceDate: $0)
                },
            random: date
        )
        rows.add([Data(), Data([0]), Data("\"AQ==\"".utf8), Data(repeating: 0xFF, count: 1_000)]) {
            Data(text(&$0).utf8)
        }
        rows.add(
            ["0", "-0.1", "0.1234567890123456789", "1e127", "1e-127", "340282366920938463463374607431768211455"]
                .compactMap { Decimal(string: $0) },
            refused: [Decimal.nan]
        ) { Decimal(string: "\(integer(&$0) as Int64).\(integer(&$0) as UInt16)") }
        rows.add(ids, random: uuid)
        rows.add(TypedKey(key: { Defaults.Key<Int?>.coercing(Defaults.KeyName($0)) }), note: ", coercing", [0, .max]) {
            integer(&$0)
        }
        return rows
    }()

    private static let texts: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(codable: shortTexts + [longText], random: text)
        rows.add(
            TypedKey(key: { Defaults.Key<String?>.string(coercing: Defaults.KeyName($0)) }),
            note: ", coercing",
            shortTexts,
            random: text
        )
        rows.add(
            TypedKey(key: { Defaults.Key<String?>.jsonCoded(Defaults.KeyName($0)) }),
            note: ", as JSON",
            shortTexts,
            random: text
        )
        rows.add(
            [
                "https://example.com", "file:///tmp/a", "/tmp/a", "~/a", "a", "//host/a", "\"x\"", "{}", "[]", "a b",
                "\u{E9}",
                "http://\u{E9}.com/\u{E9}", "?", "#", "mailto:a@b", "%", "a:b", "null", "5", "{a}", "[a", "x\u{0}y",
                "http://[::1]:80/",
            ]
            .compactMap { URL(string: $0) } + [
                URL(filePath: "/tmp/a b", directoryHint: .isDirectory),
                URL(filePath: "a", directoryHint: .notDirectory),
            ] + [URL(string: "b", relativeTo: URL(string: "https://example.com/a/"))].compactMap(\.self)
        ) {
            switch Int.random(in: 0..<3, using: &$0) {
            case 0: URL(string: text(&$0))
            case 1: URL(string: text(&$0), relativeTo: URL(string: "http://a.b/c"))
            default: URL(filePath: "/" + HostileTexts.withoutNull(text(&$0)))
            }
        }
        rows.add(
            TypedKey(key: { Defaults.Key<URL?>.url(coercing: Defaults.KeyName($0)) }),
            note: ", coercing",
            [URL(filePath: "/a b")]
        ) { URL(string: text(&$0)) }
        return rows
    }()

    private static let forPeople: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(
            [
                .zero, .seconds(5), .seconds(-5400), .milliseconds(250), .microseconds(2), Duration(attoseconds: 1),
                Duration(secondsComponent: .max, attosecondsComponent: 0),
            ],
            refused: [Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(Int64.max) + .seconds(1)]
        ) { .nanoseconds(integer(&$0) as Int64) }
        rows.add([0, 17, .kibibytes(64), 1_500_000_000, Defaults.ByteCount(.max)]) { Defaults.ByteCount(integer(&$0)) }
        rows.add(
            [0, 12.5, -3, 0.1, 1e300].map { Defaults.Percentage($0) },
            refused: [Defaults.Percentage(.infinity), Defaults.Percentage(-.infinity)]
        ) { Defaults.Percentage(Double(integer(&$0) as Int32) / 8) }
        rows.add(["127.0.0.1", "::1", "::ffff:1.2.3.4", "2001:db8::1"].compactMap { Defaults.IPAddress($0) }) {
            Defaults.IPAddress("2001:db8::\(String(integer(&$0) as UInt16, radix: 16))")
        }
        rows.add(
            ["127.0.0.1:0", "[::1]:65535", "db_1.example.com.:80", "[fe80::1%eth0]:1"].compactMap {
                Defaults.HostAndPort($0)
            }
        ) { Defaults.HostAndPort(host: "db-\(integer(&$0) as UInt16)", port: integer(&$0)) }
        rows.add([Sample.Version(major: 1, minor: 4)]) { generator in
            Sample.Version(major: Int(integer(&generator) as Int8), minor: Int(integer(&generator) as Int8))
        }
        return rows
    }()

    private static let collections: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(codable: [[], shortTexts, [longText]], random: texts)
        rows.add(codable: [[], [[]], [[], ["a"]]]) { [texts(&$0), texts(&$0)] }
        rows.add(codable: [[], [true, false]])
        rows.add([[], reals])
        rows.add([[1], []] as [[Int?]], mayBeRefused: [[1, nil]]) { [integer(&$0)] }
        rows.add([[], times.map { Date(timeIntervalSinceReferenceDate: $0) }]) { [date(&$0)] }
        rows.add([[Data(), Data([1])]])
        rows.add([[.seconds(5)], []] as [[Duration]])
        rows.add([[URL(filePath: "/a,b")]]) { [URL(string: text(&$0)) ?? URL(filePath: "/")] }
        rows.add([[Sample.Record(text: "a")], []]) { [Sample.Record(text: text(&$0)), Sample.Record(text: text(&$0))] }
        rows.add([[Sample.Plain.low, .null], []])
        rows.add([[Sample.Swapped.left, .right], []])
        rows.add([[Sample.Text("a"), Sample.Text("\"a\"")]])
        rows.add([[Sample.Empty()]])
        rows.add([[Sample.Frog(name: "a"), Sample.Frog(name: "b")], []])
        rows.add(codable: [Set(shortTexts), []], random: { Set(names(&$0)) }, rebuild: set)
        rows.add([Set(0..<20), []], random: { [integer(&$0), integer(&$0)] }, rebuild: set)
        rows.add([[1, .infinity, -2.5], []] as [Set<Double>], rebuild: set)
        rows.add(
            [Set(Sample.Plain.allCases)],
            random: { generator in
                Set(Sample.Plain.allCases.filter { _ in Bool.random(using: &generator) })
            },
            rebuild: set
        )
        rows.add([Set(shortTexts.map { Sample.Tag(rawValue: $0) })], rebuild: set)
        rows.add(
            [[Sample.Unordered(texts: Set(shortTexts))]] as [Set<Sample.Unordered>],
            rebuild: { set(Set($0.map(unordered))) }
        )
        rows.add([Set(shortTexts.map { Sample.Frog(name: $0) })], rebuild: set)
        rows.add([Sample.List([]), Sample.List(shortTexts)]) { Sample.List(texts(&$0)) }
        rows.add(
            [Sample.Basket(), Sample.Basket(shortTexts)],
            random: {
                Sample.Basket(texts(&$0))
            },
            rebuild: { Sample.Basket($0.toArray().reversed()) }
        )
        rows.add([0..<5, 0..<0, .min ..< .max]) { 0..<(Int.random(in: 0..<100, using: &$0)) }
        rows.add(["a"..."b", ""...""]) { generator in
            let bounds = [text(&generator), text(&generator)].sorted()
            return bounds[0]...bounds[1]
        }
        rows.add([-.infinity ... .infinity, 0.5...1] as [ClosedRange<Double>])
        return rows
    }()

    private static let dictionaries: [TypedValues] = {
        var rows: [TypedValues] = []
        let hostileNames = Dictionary(uniqueKeysWithValues: Set(shortTexts).map { ($0, $0) })
        rows.add(
            codable: [[:], hostileNames] + tags + tags.map { $0.merging(["a": ""]) { $1 } },
            random: {
                dictionary(&$0, text)
            },
            rebuild: dictionary
        )
        rows.add(codable: [[:], ["cpu": 2], ["7": .max, "": .min]] as [[String: Int]], rebuild: dictionary)
        rows.add([["a": .nan, "b": -0.0, "$real": 1], [:]]) { dictionary(&$0, real) }
        rows.add([["$date": 4.5], ["$dictionary": .infinity]] as [[String: Double]])
        rows.add([["a": true]] as [[String: Bool]])
        rows.add(codable: [["a": []], [:]]) { dictionary(&$0, texts) }
        rows.add(codable: tags.map { ["$dictionary": $0] } + tags.map { ["a": $0, "$dictionary": $0] }) {
            dictionary(&$0) { dictionary(&$0, text) }
        }
        rows.add([["a": Data()], [:]]) { dictionary(&$0) { Data(text(&$0).utf8) } }
        rows.add([["$dictionary": Date(timeIntervalSinceReferenceDate: 0.25)]]) { dictionary(&$0, date) }
        rows.add([["a": 1], [:]] as [[String: Int?]], mayBeRefused: [["a": 1, "b": nil]])
        rows.add([["a": Sample.Text("$null")], [:]]) { dictionary(&$0) { Sample.Text(text(&$0)) } }
        rows.add([["a": [Sample.Node("a")], "b": []]])
        rows.add([["a": [Sample.Frog(name: "b")]]])
        rows.add([[[Sample.Frog(name: "b")]]])
        rows.add([["a": 0..<1]])

        rows.add([[7: "a", -1: "\"b\"", .max: "", 0: "1"], [:]], random: { numbered(&$0, text) }, rebuild: dictionary)
        rows.add([[7: ["a", "\"b\""], 8: []]]) { numbered(&$0, texts) }
        rows.add([[1: ["a": "\"b\"", "c": "d"]]]) { numbered(&$0) { dictionary(&$0, text) } }
        rows.add([[1: "a"]] as [[Int: String?]], mayBeRefused: [[2: nil]]) { numbered(&$0) { Optional(text(&$0)) } }
        rows.add([[7: 1.5, -1: 0, 8: .infinity], [7: .nan]]) { numbered(&$0, real) }
        rows.add([[7: [1.5, .infinity]], [7: []]] as [[Int: [Double]]])
        rows.add([[7: true, 8: false]])
        rows.add([[7: .max, -7: .min]]) { numbered(&$0) { integer(&$0) as Int } }
        rows.add([[7: ["$data": Data([1])]], [7: ["a": Data()]]])
        rows.add([[7: Date(timeIntervalSinceReferenceDate: 0.25)]] as [[UInt8: Date?]])
        rows.add([[7: Data([1])]]) { numbered(&$0) { Data(text(&$0).utf8) } }
        rows.add([[7: Date(timeIntervalSinceReferenceDate: 0.1)]]) { numbered(&$0, date) }
        rows.add([[7: Sample.Record(text: "a")]]) { numbered(&$0) { Sample.Record(text: text(&$0)) } }
        rows.add([[7: Sample.Plain.null]])
        rows.add([[7: .seconds(5)]] as [[Int: Duration]])
        rows.add([[7: ids[0]]])
        rows.add([[255: 1, 0: 2]] as [[UInt8: Float]])
        rows.add([[1.5: "a", -0.0: "b", .infinity: "c"], [1e300: "d"]] as [[Double: String]])
        rows.add([[true: 1, false: 0]] as [[Bool: Int]])
        rows.add(
            [["a": "b", "\u{1F600}": ""]] as [[Character: String]],
            random: { generator in
                Set(text(&generator)).sorted().reduce(into: [Character: String]()) { $0[$1] = text(&generator) }
            },
            rebuild: dictionary
        )
        rows.add(
            TypedKey(
                key: { Defaults.Key<[Sample.Tag: String]?>($0) },
                keyWithDefault: { Defaults.Key<[Sample.Tag: String]>($0, default: $1) },
                rebuild: dictionary
            ),
            [Dictionary(uniqueKeysWithValues: Set(shortTexts).map { (Sample.Tag(rawValue: $0), $0) })]
        ) { generator in names(&generator).reduce(into: [:]) { $0[Sample.Tag(rawValue: $1)] = text(&generator) } }
        func addNamed<Name: RawRepresentable & Hashable & Sendable, Element>(_ samples: [[Name: Element]])
        where Name.RawValue: LosslessStringConvertible, Element: Defaults.Serializable & Equatable & Sendable {
            rows.add(
                TypedKey(
                    key: { Defaults.Key<[Name: Element]?>($0) },
                    keyWithDefault: { Defaults.Key<[Name: Element]>($0, default: $1) },
                    rebuild: dictionary
                ),
                samples
            )
        }
        addNamed([[Sample.Channel.music: 0.5, .dotted: .infinity, .number: 1]])
        addNamed([[Sample.NumberedLevel.low: true]])
        addNamed([[Sample.Channel.music: [1, 2]], [:]])
        rows.add(
            TypedKey(
                key: { Defaults.Key<[UUID: [String]]?>($0) },
                keyWithDefault: { Defaults.Key<[UUID: [String]]>($0, default: $1) }
            ),
            [[ids[0]: ["a"], ids[1]: []]]
        ) { [uuid(&$0): texts(&$0)] }
        rows.add(
            TypedKey(
                key: { Defaults.Key<[UUID: Float]?>($0) },
                keyWithDefault: { Defaults.Key<[UUID: Float]>($0, default: $1) }
            ),
            [[ids[0]: 1.5, ids[1]: .infinity]]
        )
        return rows
    }()

    private static let rawValues: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(shortTexts.map { Sample.Tag(rawValue: $0) }) { Sample.Tag(rawValue: text(&$0)) }
        rows.add(codable: shortTexts.map { Sample.PreferredTag(rawValue: $0) }) {
            Sample.PreferredTag(rawValue: text(&$0))
        }
        rows.add(codable: shortTexts.map { Sample.CodableTag(rawValue: $0) }) { Sample.CodableTag(rawValue: text(&$0)) }
        rows.add(
            codable: finiteReals.map { Sample.Celsius(rawValue: $0) },
            mayBeRefused: [Sample.Celsius(rawValue: .infinity)]
        )
        rows.add(["stdout", "/var/log/x", ""].map { Sample.Target(rawValue: $0) })
        rows.add([[], .fast, [.fast, .safe], Sample.Features(rawValue: -1)])
        rows.add(codable: [[], Sample.Permissions(rawValue: 255)])
        rows.add(Sample.Channel.allCases)
        rows.add(codable: Sample.Level.allCases)
        rows.add(codable: Sample.NumberedLevel.allCases)
        rows.add(codable: Sample.PreferredLevel.allCases)
        rows.add(codable: Sample.Crossed.allCases)
        rows.add(
            TypedKey(
                key: { .rawRepresentable(represented: Defaults.Key<String?>.string(Defaults.KeyName($0))) }
            ),
            note: ", of a key of texts",
            shortTexts.map { Sample.Tag(rawValue: $0) }
        ) { Sample.Tag(rawValue: text(&$0)) }
        return rows
    }()

    private static let cases: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(codable: Sample.Plain.allCases)
        rows.add(codable: [.none, .some(1), .some(2), .both(left: "a", right: [])] as [Sample.Payload])
        rows.add(codable: Sample.Listed.allCases + [Sample.Listed(number: 7)])
        rows.add(codable: Sample.Swapped.allCases)
        rows.add(codable: Sample.Tolerant.allCases)
        rows.add(codable: Sample.Described.allCases)
        rows.add(codable: Sample.Shown.allCases)
        rows.add(
            TypedKey(key: { Defaults.Key<Sample.Plain?>.jsonCoded(Defaults.KeyName($0)) }),
            note: ", as JSON",
            Sample.Plain.allCases
        )
        return rows
    }()

    private static let structures: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(
            codable: [
                Sample.Record(text: ""), Sample.Record(text: "$null", other: "null", texts: ["7": ["a"], "": []]),
            ]
        ) { Sample.Record(text: text(&$0), other: text(&$0), texts: dictionary(&$0, texts)) }
        rows.add(
            TypedKey(key: { .jsonCoded(Defaults.KeyName($0), as: .data) }),
            note: ", as JSON in data",
            [Sample.Record(text: "a")]
        ) { Sample.Record(text: text(&$0)) }
        rows.add(codable: [Sample.StructuredRecord(text: "$$null", texts: ["a": [nil, "$null"]])]) {
            Sample.StructuredRecord(text: text(&$0), texts: dictionary(&$0) { [text(&$0), nil] })
        }
        rows.add(codable: [Sample.StructuredNumbers(texts: [7: "a", -7: ""], numbers: ["7": 1, "x": 2])]) {
            Sample.StructuredNumbers(texts: numbered(&$0, text))
        }
        rows.add([Sample.StructuredURL(url: URL(filePath: "/a"))]) {
            URL(string: text(&$0)).map { Sample.StructuredURL(url: $0) }
        }
        rows.add(codable: [Sample.Empty()])
        rows.add([Sample.Timed(timeout: .seconds(90), limit: .kibibytes(64), level: .null)]) {
            Sample.Timed(
                timeout: .nanoseconds(integer(&$0) as Int64),
                limit: Defaults.ByteCount(integer(&$0)),
                level: Sample.Plain.allCases.randomElement(using: &$0)
            )
        }
        let unordered = [
            Sample.Unordered(texts: []), Sample.Unordered(texts: Set(shortTexts)),
            Sample.Unordered(
                texts: ["a", "b", "c", "d"],
                lists: [[1], [2], []],
                names: ["a": 1, "b": 2, "c": 3],
                numbers: [1: "a", 2: "b", 3: "c"],
                tags: [Sample.CodableTag(rawValue: "a"): 1, Sample.CodableTag(rawValue: "b"): 2],
                inner: [Set(0..<20)]
            ),
        ]
        rows.add(codable: unordered, rebuild: Self.unordered)
        rows.add(
            codable: unordered.map { Sample.StructuredUnordered(unordered: $0) },
            rebuild: { Sample.StructuredUnordered(unordered: Self.unordered($0.unordered)) }
        )
        rows.add(
            codable: [Sample.Wide(number: 5, natural: 5)],
            mayBeRefused: [Sample.Wide(number: .min, natural: .max)]
        )
        rows.add([
            Sample.StructuredWide(number: 5, natural: 5), Sample.StructuredWide(number: .min, natural: .max),
        ])
        rows.add([Sample.Many(), Sample.Many(plains: [.low: 1])])
        rows.add(
            codable: finiteReals.map { Sample.Real(real: $0) } + [Sample.Real(real: 0, single: .leastNonzeroMagnitude)],
            mayBeRefused: [.infinity, .nan].map { Sample.Real(real: $0) }
        ) { Sample.Real(real: real(&$0)) }
        rows.add(codable: reals.filter { !$0.isNaN }.map { Sample.StructuredReal(real: $0) }) {
            Sample.StructuredReal(real: real(&$0))
        }
        rows.add(codable: [Sample.Node("a", Sample.Node("b"))])
        rows.add(codable: [Sample.Dog(name: "a")])
        let depths = [32, 64, 127, 128, 129, 300]
        rows.add([], mayBeRefused: depths.map { Sample.Node.chain(of: $0) })
        rows.add([], mayBeRefused: depths.map { Sample.StructuredNode.chain(of: $0) })
        return rows
    }()

    private static let singles: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(codable: [Sample.Number(0), Sample.Number(.min)]) { Sample.Number(integer(&$0)) }
        rows.add(codable: shortTexts.map { Sample.Text($0) }) { Sample.Text(text(&$0)) }
        rows.add(codable: shortTexts.map { Sample.StructuredText($0) }) { Sample.StructuredText(text(&$0)) }
        rows.add(codable: shortTexts.map { Sample.Perhaps($0) }, mayBeRefused: [Sample.Perhaps(nil)])
        rows.add(codable: [Sample.Blob(Data()), Sample.Blob(Data("\"AQ==\"".utf8))]) {
            Sample.Blob(Data(text(&$0).utf8))
        }
        rows.add(
            codable: [Sample.Either(number: 5), Sample.Either(number: 0.5)]
                + ["5", "\"5\"", "x"].map { Sample.Either(text: $0) }
        )
        return rows
    }()

    private static let others: [TypedValues] = {
        var rows: [TypedValues] = []
        rows.add(shortTexts.map { Sample.Converted(text: $0) }) { Sample.Converted(text: text(&$0)) }
        rows.add([Sample.Frog(name: "a")])
        rows.add([Defaults.AnySerializable("a"), Defaults.AnySerializable(1), Defaults.AnySerializable(["a": [1.5]])]) {
            Defaults.AnySerializable(PropertyListValue.string(text(&$0)))
        }
        let values: [PropertyListValue] = [
            1, -1, true, 1.5, .real(-0.0), .real(.nan), "a", [], [:], ["$data": "aGk="], ["$dictionary": ["a": 1]],
            .data(Data([1])), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
            .integer(PropertyListInteger(UInt64.max)),
        ]
        rows.add(values + [["a.b": .array(values), "": ["7": 1]]]) { .random(using: &$0) }
        func nested(_ levels: Int) -> PropertyListValue {
            (0..<levels).reduce(1) { value, level in level.isMultiple(of: 2) ? [value] : ["a": value] }
        }
        rows.add([1, 64, 127].map(nested), mayBeRefused: [128, 129, 130, 200].map(nested))
        return rows
    }()
}
