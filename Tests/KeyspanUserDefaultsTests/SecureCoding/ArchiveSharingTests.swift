#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanUserDefaults
import Testing

/// Objects that many others share, and subclasses of Foundation's.
@Suite struct ArchiveSharingTests {
    private static func roundTrip<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let archive = try #require(try Defaults.NSSecureCodingBridge<Object>().encode(object).dataValue)
        return try ArchiveReader(archive).read(Object.self)
    }

    private static func expectTooMuch(_ contents: ArchiveContents, root: Int = 1) throws {
        let reader = try ArchiveReader(contents.data(root: root))
        let error = #expect(throws: ArchiveFault.self) { try reader.read(NSArray.self) }
        #expect(error?.reason.contains("too much") == true, "\(error?.reason ?? "")")
        #expect(reader.budget.spent <= reader.budget.limit)
    }

    /// A list of objects of a class, all with the same entries, and before them a text with the number 3.
    private static func list(_ count: Int, of type: String, _ entries: [(String, ArchiveContents.Value)])
        -> ArchiveContents
    {
        var contents = ArchiveContents()
        contents.add("NSArray", [("NS.objects", .list((0..<count).map { .object(4 + $0) }))])
        contents.add(.text("a"))
        for _ in 0..<count { contents.add(.entries(entries + [("$class", .object(4 + count))])) }
        contents.add(.entries([("$classname", .text(type))]))
        return contents
    }

    /// Their order differs with the capacity, and between processes.
    @Test func `equal sets and dictionaries are archived alike`() throws {
        let numbers = Array(0..<30)
        func archives(_ capacity: Int, _ numbers: [Int]) throws -> [PropertyListValue] {
            let (set, dictionary) = (NSMutableSet(capacity: capacity), NSMutableDictionary(capacity: capacity))
            for number in numbers {
                set.add(number % 2 == 0 ? "\(number)" as Any : number)
                dictionary["\(number)"] = number
            }
            return [
                try Defaults.NSSecureCodingBridge<NSSet>().encode(set),
                try Defaults.NSSecureCodingBridge<NSDictionary>().encode(dictionary),
            ]
        }
        #expect(try archives(0, numbers) == archives(2_000, numbers.reversed()))
    }

    /// Each level has everything of the one below it twice, so a comparison or conversion of the last one would not end.
    @Test(arguments: ["NSSet", "NSArray"])
    func `an object that stands for too much through its levels is an error`(_ type: String) throws {
        var contents = ArchiveContents()
        var (first, second) = (contents.add(.text("a")), contents.add(.text("b")))
        let third = contents.add(.text("c"))
        for _ in 0..<40 {
            (first, second) = (
                contents.add(type, [("NS.objects", .list([first, second]))]),
                contents.add(type, [("NS.objects", .list([first, second, third]))])
            )
        }
        let attributes = contents.add(
            "NSDictionary",
            [("NS.keys", .list([third])), ("NS.objects", .list([first]))]
        )
        let text = contents.add("NSAttributedString", [("NSString", third), ("NSAttributes", attributes)])
        contents.add("NSArray", [("NS.objects", .list([text, second]))])
        try Self.expectTooMuch(contents, root: contents.objects.count - 2)
    }

    /// Foundation copies the text of the base into each of them.
    @Test func `a large object is paid for in each object that makes something of it`() throws {
        var contents = Self.list(2000, of: "NSURL", [("NS.base", .object(2005)), ("NS.relative", .object(3))])
        contents.add("NSURL", [("NS.relative", .object(2007))])
        contents.add(.text("https://a.example/" + String(repeating: "a", count: 60_000)))
        try Self.expectTooMuch(contents)
    }

    @Test func `large attributes are paid for in each run`() throws {
        var contents = Self.list(
            1,
            of: "NSAttributedString",
            [("NSString", .object(6)), ("NSAttributes", .object(8)), ("NSAttributeInfo", .object(7))]
        )
        contents.add(.text(String(repeating: "a", count: 10_000)))
        contents.add(.data((0..<10_000).flatMap { [1, UInt8($0 % 2)] }))
        contents.add("NSArray", [("NS.objects", .list([.object(10), .object(12)]))])
        for _ in 0..<2 {
            contents.add(
                "NSDictionary",
                [
                    ("NS.keys", .list((0..<5000).map { .object(14 + $0) })),
                    ("NS.objects", .list(Array(repeating: .object(3), count: 5000))),
                ]
            )
        }
        for index in 0..<5000 { contents.add(.text("\(index)")) }
        try Self.expectTooMuch(contents)
    }

    @Test func `objects that share a large part come back`() throws {
        let zones = (0..<500).map { _ in NSTimeZone(name: "Europe/Berlin") }
        #expect(try Self.roundTrip(NSArray(array: zones.compactMap { $0 })).count == 500)
        let bitmap = CharacterSet(charactersIn: "aä").union(CharacterSet(charactersIn: "0"..."9")).bitmapRepresentation
        let sets = (0..<100).map { _ in NSCharacterSet(bitmapRepresentation: bitmap) }
        #expect(try Self.roundTrip(NSArray(array: sets)).count == 100)
        let text = NSMutableAttributedString(string: String(repeating: "a", count: 10_000))
        for place in 0..<5000 {
            let attributes = [NSAttributedString.Key("name"): NSNumber(value: place % 2)]
            text.setAttributes(attributes, range: NSRange(location: 2 * place, length: 2))
        }
        #expect(try Self.roundTrip(text).length == 10_000)
    }

    @Test func `own subclasses of collections are refused`() {
        for object in [OwnArray(), OwnSet(), OwnDictionary()] as [NSObject] {
            let error = #expect(throws: ValueEncodingError.self) {
                try Defaults.NSSecureCodingBridge<Envelope>().encode(Envelope(object))
            }
            #expect(error?.reason.contains("cannot be stored") == true, "\(error?.reason ?? "")")
        }
    }

    @Test func `two mutable texts do not become one`() throws {
        let notes = try Self.roundTrip(Notes(first: "a", second: "a"))
        notes.first.append("b")
        #expect(notes.first == "ab" && notes.second == "a")
    }

    @Test func `a mutable text keeps a mark at its start`() throws {
        for text in ["\u{FEFF}a", "\u{FEFF}\u{FEFF}", "a\u{FEFF}"] {
            let read = String(describing: try Self.roundTrip(NSMutableString(string: text)))
            #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    @Test func `a key that is there is found without its object`() throws {
        var contents = ArchiveContents()
        contents.add(
            "NSCalendar",
            [
                ("NS.identifier", .object(3)), ("NS.timezone", .object(4)), ("NS.firstwkdy", .integer(1)),
                ("NS.mindays", .integer(1)),
            ]
        )
        contents.add(.text("gregorian"))
        contents.add("KeyspanUserDefaultsTests.OwnZone", [("NS.name", .object(6))])
        contents.add(.text("Europe/Berlin"))
        let calendar = try ArchiveReader(contents.data()).read(NSCalendar.self)
        #expect(calendar.timeZone.identifier == "Europe/Berlin")
    }

    @Test func `names that only look the same are different`() throws {
        #expect(try Self.roundTrip(Accents(left: 1, right: 2)) == Accents(left: 1, right: 2))
    }
}
#endif
