#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import KeyspanUserDefaults
import Testing

/// Objects and archives for which Foundation on Linux ends the program, or reads something else than it wrote.
@Suite struct ArchiveSafetyTests {
    private typealias Value = ArchiveContents.Value

    private static func read<Object: NSObject & NSSecureCoding>(
        _ archive: Data,
        as type: Object.Type = Object.self
    ) throws(ValueDecodingError) -> Object {
        var context = Defaults.DecodingContext(isStrict: true)
        return try Defaults.NSSecureCodingBridge<Object>().decode(.data(archive), in: &context)
    }

    private static func readNamed(_ name: String, _ archive: Data) throws(ValueDecodingError) {
        guard let type = NSClassFromString(name) as? any (NSObject & NSSecureCoding).Type else { return }
        _ = try read(archive, as: type)
    }

    private static func roundTrip<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let stored = try Defaults.NSSecureCodingBridge<Object>().encode(object)
        return try read(try #require(stored.dataValue))
    }

    private static func archive(_ type: String, _ entries: [(String, Value)], _ others: [Value] = []) -> Data {
        var contents = ArchiveContents()
        contents.add(type, entries)
        for other in others { contents.add(other) }
        return contents.data()
    }

    // MARK: Damaged collections

    @Test(arguments: [(1, 0), (2, 1), (1, 2), (0, 1)])
    func `a dictionary with more keys than objects, or fewer, is an error`(_ keys: Int, _ objects: Int) {
        let archive = Self.archive(
            "NSDictionary",
            [
                ("NS.keys", .list((0..<keys).map { .object(3 + $0) })),
                ("NS.objects", .list((0..<objects).map { .object(3 + $0) })),
            ],
            [.text("a"), .text("b")]
        )
        #expect(throws: ValueDecodingError.self) { try Self.read(archive, as: NSDictionary.self) }
    }

    /// The counts are right, but Foundation stops at the object that is not there.
    @Test(arguments: ["NSDictionary", "NSMutableDictionary"])
    func `a dictionary whose object is nil or cannot be made is an error`(_ type: String) {
        for object in [0, 4, 5, 99] {
            var contents = ArchiveContents()
            let lists: [(String, Value)] = [
                ("NS.keys", .list([.object(3), .object(3)])), ("NS.objects", .list([.object(3), .object(object)])),
            ]
            contents.add(type, lists)
            contents.add(.text("a"))
            // A UUID without bytes.
            contents.add("NSUUID", [])
            #expect(throws: ValueDecodingError.self) { try Self.read(contents.data(), as: NSDictionary.self) }
        }
    }

    @Test(arguments: ["NSOrderedSet", "NSMutableOrderedSet", "NSSet", "NSMutableSet", "NSArray", "NSMutableArray"])
    func `a collection whose element is nil, missing or no object is an error`(_ type: String) {
        for element in [.object(0), .object(99), .list([]), .entries([])] as [Value] {
            for entries in [
                [("NS.objects", Value.list([.object(3), element]))],
                [("NS.object.0", .object(3)), ("NS.object.1", element)],
            ] {
                let archive = Self.archive(type, entries, [.text("a")])
                #expect(throws: ValueDecodingError.self, "\(element)") { try Self.readNamed(type, archive) }
            }
        }
    }

    @Test(arguments: ["NSOrderedSet", "NSSet", "NSArray"])
    func `plain elements of collections are objects`(_ type: String) throws {
        for element in [.boolean(true), .integer(-1), .real(0.5), .data([1]), .text("a")] as [Value] {
            for reference in [element, .object(3)] {
                try Self.readNamed(type, Self.archive(type, [("NS.objects", .list([reference]))], [element]))
                try Self.readNamed(type, Self.archive(type, [("NS.object.0", reference)], [element]))
            }
        }
    }

    /// Each archive has a class and entries for which its `init(coder:)` ends the program or does not end.
    private static let fatal: [(String, [(String, Value)], [Value])] = [
        ("NSOrderedSet", [("NS.object.0", .object(0))], []),
        ("NSURLQueryItem", [], []),
        (
            "NSURL", [("NS.relative", .object(3)), ("NS.base", .object(4))],
            [
                .text("a"), .entries([("NS.relative", .object(6)), ("$class", .object(5))]),
                .entries([("$classname", .text("NSURL"))]), .text(""),
            ]
        ),
        ("NSURLQueryItem", [("NS.name", .object(3))], [.integer(1)]),
        ("NSError", [("NSCode", .integer(1))], []),
        ("NSDecimalNumber", [("NS.length", .integer(-1))], []),
        (
            "NSCountedSet", [("NS.count", .integer(1)), ("NS.object0", .object(3)), ("NS.count0", .integer(1 << 59))],
            [.text("a")]
        ),
        ("NSRegularExpression", [("NSPattern", .object(3)), ("NSOptions", .integer(-1))], [.text("a")]),
        ("NSIndexSet", [("NSRangeCount", .integer(.max)), ("NSRangeData", .object(3))], [.data([1, 1])]),
        (
            "NSIndexSet",
            [("NSRangeCount", .integer(1)), ("NSLocation", .integer(.max)), ("NSLength", .integer(.max))], []
        ),
        (
            "NSIndexSet", [("NSRangeCount", .integer(2)), ("NSRangeData", .object(3))],
            [.data([1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1])]
        ),
        (
            "NSIndexPath", [("NSIndexPathLength", .integer(2)), ("NSIndexPathData", .object(3))],
            [.data([1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1])]
        ),
        ("NSCharacterSet", [("NSRange", .integer(0x11_0000 << 32 | 1))], []),
        (
            "NSCharacterSet",
            [("NSBitmap", .data([UInt8](repeating: 0, count: 8192) + [200] + [UInt8](repeating: 1, count: 8192)))], []
        ),
        (
            "NSAttributedString",
            [("NSString", .object(3)), ("NSAttributes", .object(4)), ("NSAttributeInfo", .object(6))],
            [
                .text("ab"), .entries([("NS.objects", .list([.object(7)])), ("$class", .object(5))]),
                .entries([("$classname", .text("NSArray"))]), .data([99, 0]), .entries([("$class", .object(8))]),
                .entries([("$classname", .text("NSDictionary"))]),
            ]
        ),
        (
            "NSMeasurement", [("NS.value", .real(.nan)), ("NS.unit", .object(3))],
            [
                .entries([("$class", .object(4)), ("NS.symbol", .object(5))]),
                .entries([("$classname", .text("Unit"))]), .text("m"),
            ]
        ),
        (
            "NSCalendar",
            [("NS.identifier", .object(3)), ("NS.firstwkdy", .integer(.max)), ("NS.mindays", .integer(1))],
            [.text("gregorian")]
        ),
        ("NSValue", [("$0", .object(3))], [.text("{CGRect={CGPoint=dd}{CGSize=dd}}")]),
        ("NSAffineTransform", [], []),
        ("NSTextCheckingResult", [], []),
        ("NSOrthography", [], []),
        ("MeasurementFormatter", [], []),
        ("ISO8601DateFormatter", [("NS.formatOptions", .integer(-1))], []),
        ("_NSCFArray", [], []),
        ("NSString", [], []),
    ]

    /// As the outermost object, and inside of a list where any class of Foundation may be.
    @Test(arguments: fatal.indices)
    func `an archive for which Foundation ends the program is an error`(_ index: Int) {
        let (type, entries, others) = Self.fatal[index]
        #expect(throws: ValueDecodingError.self, "\(type)") {
            try Self.readNamed(type, Self.archive(type, entries, others))
        }
        var contents = ArchiveContents()
        contents.add(type, entries)
        for other in others { contents.add(other) }
        let list = contents.add("NSArray", [("NS.objects", .list([.object(1)]))])
        guard case .object(let root) = list else { return }
        #expect(throws: ValueDecodingError.self, "\(type)") {
            try Self.read(contents.data(root: root), as: NSArray.self)
        }
    }

    // MARK: Writing

    private static let refused:
        [(name: String, reason: String, write: @Sendable () throws(ValueEncodingError) -> PropertyListValue)] = [
            ("NSError", "NSError", { () throws(ValueEncodingError) in try encode(NSError(domain: "d", code: 1)) }),
            (
                "NSDecimalNumber", "NSDecimalNumber",
                { () throws(ValueEncodingError) in try encode(NSDecimalNumber(value: 1)) }
            ),
            (
                "array", "NSDecimalNumber",
                { () throws(ValueEncodingError) in try encode(NSArray(array: [NSDecimalNumber(value: 1)])) }
            ),
            (
                "dictionary", "NSError",
                { () throws(ValueEncodingError) in
                    try encode(NSDictionary(dictionary: ["a": NSError(domain: "d", code: 1)]))
                }
            ),
            (
                "own class", "NSError",
                { () throws(ValueEncodingError) in try encode(Envelope(NSError(domain: "d", code: 1))) }
            ),
            (
                "own class", "NSDecimalNumber",
                { () throws(ValueEncodingError) in try encode(Envelope(NSArray(array: [NSDecimalNumber(value: 1)]))) }
            ),
            (
                "NSDateInterval", "DateInterval",
                { () throws(ValueEncodingError) in try encode(NSDateInterval(start: Date(), duration: 1)) }
            ),
            (
                "NSMeasurement", "large",
                { () throws(ValueEncodingError) in
                    try encode(NSMeasurement(doubleValue: .infinity, unit: UnitLength.meters))
                }
            ),
            (
                "NSIndexPath", "negative",
                { () throws(ValueEncodingError) in try encode(NSIndexPath(indexes: [1, -1], length: 2)) }
            ),
            ("NSValue", "NSValue", { () throws(ValueEncodingError) in try encode(number()) }),
            ("other class", "Channel", { () throws(ValueEncodingError) in try encode(Envelope(Channel(number: 1))) }),
            ("the text of nil", "NSString", { () throws(ValueEncodingError) in try encode(NSString(string: "$null")) }),
            ("objective-c", "Objective-C", { () throws(ValueEncodingError) in try encode(OldStyle()) }),
        ]

    private static func number() -> NSValue {
        var number = 1.0
        return NSValue(bytes: &number, objCType: "d")
    }

    private static func encode<Object: NSObject & NSSecureCoding>(
        _ object: Object
    ) throws(ValueEncodingError) -> PropertyListValue {
        try Defaults.NSSecureCodingBridge<Object>().encode(object)
    }

    @Test(arguments: refused.indices)
    func `an object that could not be read again is an error that names the reason`(_ index: Int) {
        let (name, reason, write) = Self.refused[index]
        let error = #expect(throws: ValueEncodingError.self, "\(name)") { try write() }
        #expect(error?.reason.contains(reason) == true, "\(name): \(error?.reason ?? "")")
    }

    @Test func `plain objects come back`() throws {
        #expect(try Self.roundTrip(NSString(string: "\u{FEFF}a e\u{301} 😀")) == "\u{FEFF}a e\u{301} 😀")
        let text = try Self.roundTrip(NSMutableString(string: "a"))
        text.append("b")
        #expect(text == "ab")
        let bytes = try Self.roundTrip(NSMutableData(data: Data([1, 2])))
        bytes.append(Data([3]))
        #expect(bytes == NSMutableData(data: Data([1, 2, 3])))
        #expect(try Self.roundTrip(NSData(data: Data([1]))) == NSData(data: Data([1])))
        #expect(try Self.roundTrip(NSData()) == NSData())
        let numbers = try Self.roundTrip(
            NSArray(array: [NSNumber(value: true), NSNumber(value: 1), NSNumber(value: 1.0)])
        )
        #expect(numbers.map { "\(($0 as? NSNumber)?.objCType.pointee ?? 0)" } == ["99", "105", "100"])
        for number in [
            NSNumber(value: true), NSNumber(value: Int.min), NSNumber(value: UInt64.max), NSNumber(value: 0.1),
        ] {
            let read = try Self.roundTrip(number)
            #expect(read == number && "\(read)" == "\(number)")
        }
    }

    @Test func `an attributed string comes back with its attributes`() throws {
        let name = NSAttributedString.Key("name")
        let whole = NSAttributedString(string: "ab😀", attributes: [name: NSString(string: "x")])
        #expect(try Self.roundTrip(whole) == whole)
        let runs = NSMutableAttributedString(string: String(repeating: "a", count: 300))
        runs.setAttributes([name: NSNumber(value: 1)], range: NSRange(location: 10, length: 200))
        runs.setAttributes([name: NSURL(string: "https://a.example")!], range: NSRange(location: 250, length: 1))
        #expect(try Self.roundTrip(runs) == runs)
        #expect(try Self.roundTrip(NSAttributedString(string: "")).length == 0)
    }

    @Test func `objects of the other classes of Foundation come back`() throws {
        #expect(
            try Self.roundTrip(NSArray(array: ["a", 1, Date(timeIntervalSince1970: 1)])) == [
                "a", 1, Date(timeIntervalSince1970: 1),
            ]
        )
        #expect(try Self.roundTrip(NSMutableArray(array: ["a"])) == ["a"])
        let table = NSDictionary(dictionary: ["a": 1, "b": NSArray(array: ["c"])])
        #expect(try Self.roundTrip(table) == table)
        #expect(try Self.roundTrip(NSMutableDictionary(dictionary: ["a": NSNull()])).count == 1)
        #expect(try Self.roundTrip(NSSet(array: ["a", "b"])) == NSSet(array: ["a", "b"]))
        #expect(try Self.roundTrip(NSOrderedSet(array: ["b", "a"])) == NSOrderedSet(array: ["b", "a"]))
        #expect(
            try Self.roundTrip(NSArray(array: [NSUUID(uuidString: "00000000-0000-0000-0000-000000000001")!])).count == 1
        )
        #expect(try Self.roundTrip(NSDate(timeIntervalSince1970: 5)) == NSDate(timeIntervalSince1970: 5))
        let base = NSURL(string: "https://a.example/b/")! as URL
        #expect(try Self.roundTrip(NSURL(string: "c", relativeTo: base)!).absoluteString == "https://a.example/b/c")
        #expect(try Self.roundTrip(NSLocale(localeIdentifier: "de_DE")) == NSLocale(localeIdentifier: "de_DE"))
        #expect(try Self.roundTrip(NSTimeZone(name: "Europe/Berlin")!).name == "Europe/Berlin")
        #expect(
            try Self.roundTrip(NSIndexSet(indexesIn: NSRange(location: 3, length: 4)))
                == NSIndexSet(indexesIn: NSRange(location: 3, length: 4))
        )
        let ranges = NSMutableIndexSet(indexesIn: NSRange(location: 3, length: 400))
        ranges.add(in: NSRange(location: 1000, length: 1))
        #expect(try Self.roundTrip(ranges).isEqual(to: ranges as IndexSet))
        #expect(
            try Self.roundTrip(NSIndexPath(indexes: [1, 200, 70_000], length: 3))
                == NSIndexPath(indexes: [1, 200, 70_000], length: 3)
        )
        for set in [
            CharacterSet.alphanumerics, CharacterSet(charactersIn: "a"..."z"), CharacterSet(charactersIn: "aä😀"),
            CharacterSet(charactersIn: "ab").inverted,
        ] {
            let read = try Self.roundTrip(set as NSCharacterSet)
            for character in "aäz😀1".unicodeScalars {
                #expect(read.longCharacterIsMember(character.value) == set.contains(character), "\(character)")
            }
        }
        let components = NSDateComponents()
        components.month = 5
        #expect(try Self.roundTrip(components).month == 5)
        let calendar = try Self.roundTrip(NSCalendar(calendarIdentifier: .ISO8601)!)
        #expect(calendar.calendarIdentifier == .ISO8601)
        #expect(try Self.roundTrip(NSMeasurement(doubleValue: 2, unit: UnitLength.miles)).doubleValue == 2)
        #expect(try Self.roundTrip(UnitFuelEfficiency.milesPerGallon).symbol == "mpg")
        #expect(try Self.roundTrip(NSRegularExpression(pattern: "a+", options: .caseInsensitive)).pattern == "a+")
        #expect(try Self.roundTrip(NSURLQueryItem(name: "a", value: "b")).value == "b")
        var name = PersonNameComponents()
        name.givenName = "a"
        #expect(try Self.roundTrip(name as NSPersonNameComponents).givenName == "a")
        #expect(
            try Self.roundTrip(NSValue(range: NSRange(location: 1, length: 2))).rangeValue
                == NSRange(location: 1, length: 2)
        )
        #expect(try Self.roundTrip(NSValue(rect: NSRect(x: 1, y: 2, width: 3, height: 4))).rectValue.width == 3)
    }

    // MARK: Classes that change

    @Test func `a class that gets an optional property reads what it stored before`() throws {
        let old = try NSKeyedArchiver.archivedData(
            withRootObject: Cassette(title: "a", side: nil),
            requiringSecureCoding: true
        )
        let read = try Self.read(old, as: Cassette.self)
        #expect(read.title == "a" && read.side == nil)
        #expect(try Self.roundTrip(Cassette(title: "a", side: nil)).title == "a")
        #expect(try Self.roundTrip(Cassette(title: "a", side: "b")).side == "b")
        let inside = try Self.roundTrip(
            Album(cassettes: [Cassette(title: "a", side: nil), Cassette(title: "b", side: nil)])
        )
        let titles = inside.cassettes.map(\.title)
        #expect(titles == ["a", "b"])
    }

    @Test func `an object inside that cannot be made is an error`() throws {
        var contents = ArchiveContents()
        contents.add("KeyspanUserDefaultsTests.Track", [("title", .object(3)), ("artist", .object(4))])
        contents.add(.text("a"))
        contents.add("KeyspanUserDefaultsTests.Artist", [])
        #expect(throws: ValueDecodingError.self) { try Self.read(contents.data(), as: Track.self) }
    }

    @Test func `an object of a class that nobody asked for is an error`() throws {
        let channel = try NSKeyedArchiver.archivedData(withRootObject: Imposter(), requiringSecureCoding: true)
        let list = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: [Channel(number: 1)]),
            requiringSecureCoding: true
        )
        #expect(throws: ValueDecodingError.self) { try Self.read(channel, as: Envelope.self) }
        let error = #expect(throws: ValueDecodingError.self) { try Self.read(list, as: NSArray.self) }
        #expect("\(error as Any)".contains("Channel"))
    }
}
#endif
