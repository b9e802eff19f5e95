#if !canImport(Darwin)
import Foundation

/// Makes well-formed archives of Foundation's classes from any bytes, most of them with contents that no archiver writes.
struct MadeUpArchive {
    private enum Kind: CaseIterable {
        case number, real, flag, text, data, bitmap, object, list, none
    }

    /// The classes with the entries that they read.
    private static let classes: [(name: String, entries: [(name: String, kind: Kind)])] = [
        ("NSArray", [("NS.objects", .list)]),
        ("NSMutableArray", [("NS.objects", .list)]),
        ("NSDictionary", [("NS.keys", .list), ("NS.objects", .list)]),
        ("NSMutableDictionary", [("NS.keys", .list), ("NS.objects", .list)]),
        ("NSDictionary", [("NS.key.0", .object), ("NS.object.0", .object)]),
        ("NSSet", [("NS.objects", .list)]),
        ("NSMutableSet", [("NS.objects", .list)]),
        ("NSOrderedSet", [("NS.object.0", .object), ("NS.object.1", .object)]),
        ("NSMutableOrderedSet", [("NS.objects", .list)]),
        ("NSCountedSet", [("NS.count", .number), ("NS.object0", .object), ("NS.count0", .number)]),
        ("NSString", [("NS.string", .text), ("NS.bytes", .data)]),
        ("NSMutableString", [("NS.string", .text)]),
        ("NSNumber", [("NS.number", .number), ("NS.intval", .number), ("NS.dblval", .real), ("NS.boolval", .flag)]),
        ("NSData", [("NS.data", .data), ("NS.bytes", .data)]),
        ("NSMutableData", [("NS.data", .data)]),
        ("NSDate", [("NS.time", .real)]),
        ("NSNull", []),
        ("NSURL", [("NS.base", .object), ("NS.relative", .object)]),
        ("NSUUID", [("NS.uuidbytes", .data)]),
        ("NSLocale", [("NS.identifier", .object)]),
        ("NSTimeZone", [("NS.name", .object), ("NS.data", .object)]),
        (
            "NSCalendar",
            [
                ("NS.identifier", .object), ("NS.timezone", .object), ("NS.locale", .object), ("NS.firstwkdy", .number),
                ("NS.mindays", .number), ("NS.gstartdate", .object),
            ]
        ),
        (
            "NSDateComponents",
            [
                ("NS.era", .number), ("NS.year", .number), ("NS.month", .number), ("NS.nanosec", .number),
                ("NS.isLeapMonth", .flag), ("NS.calendar", .object), ("NS.timezone", .object),
            ]
        ),
        ("NSDateInterval", [("NS.startDate", .object), ("NS.endDate", .object)]),
        ("NSPersonNameComponents", [("NS.givenName", .object), ("NS.nickname", .object)]),
        ("Unit", [("NS.symbol", .object)]),
        ("UnitLength", [("NS.symbol", .object), ("NS.converter", .object)]),
        ("UnitConverterLinear", [("NS.coefficient", .real), ("NS.constant", .real)]),
        ("NSUnitConverterReciprocal", [("NS.reciprocal", .real)]),
        ("NSMeasurement", [("NS.value", .real), ("NS.unit", .object)]),
        ("NSCharacterSet", [("NSBuiltinID", .number), ("NSIsInverted", .flag)]),
        ("NSCharacterSet", [("NSRange", .number), ("NSIsInverted", .flag)]),
        ("NSMutableCharacterSet", [("NSString", .text), ("NSIsInverted", .flag)]),
        ("NSMutableCharacterSet", [("NSStringObject", .object)]),
        ("NSCharacterSet", [("NSBitmap", .bitmap), ("NSIsInverted", .flag)]),
        ("NSCharacterSet", [("NSBitmapObject", .object), ("NSBuiltinID2", .number)]),
        ("NSIndexSet", [("NSRangeCount", .number), ("NSLocation", .number), ("NSLength", .number)]),
        ("NSMutableIndexSet", [("NSRangeCount", .number), ("NSRangeData", .object)]),
        ("NSIndexPath", [("NSIndexPathLength", .number), ("NSIndexPathValue", .number), ("NSIndexPathData", .object)]),
        ("NSAttributedString", [("NSString", .object), ("NSAttributes", .object)]),
        (
            "NSMutableAttributedString",
            [("NSString", .object), ("NSAttributes", .object), ("NSAttributeInfo", .object)]
        ),
        ("NSValue", [("NS.special", .number), ("NS.pointval", .object), ("NS.rectval", .object)]),
        ("NSValue", [("NS.special", .number), ("NS.rangeval.location", .object), ("NS.rangeval.length", .object)]),
        ("NSValue", [("NS.special", .number), ("NS.sizeval", .object), ("NS.edgeval.top", .real), ("$0", .object)]),
        ("NSRegularExpression", [("NSPattern", .object), ("NSOptions", .number)]),
        ("NSURLQueryItem", [("NS.name", .object), ("NS.value", .object)]),
        ("NSError", [("NSDomain", .object), ("NSCode", .number), ("NSUserInfo", .object)]),
        ("NSDecimalNumber", [("NS.length", .number), ("NS.mantissa", .object)]),
        ("NSAffineTransform", [("$0", .object)]),
        ("_NSKeyedCoderOldStyleArray", [("NS.type", .number), ("NS.count", .number), ("NS.size", .number)]),
        ("ISO8601DateFormatter", [("NS.formatOptions", .number), ("NS.timeZone", .object)]),
    ]

    private static let numbers = [
        0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 127, 128, 300, -1, -128, 1 << 31, 1 << 32, 97 << 32 | 26, 0x10_FFFF << 32 | 1,
        1 << 62, .max, .max - 1, .min,
    ]
    private static let reals = [0, -0.0, 0.5, -1, 1e9, 1e18, 1e19, -1e300, .infinity, .nan, .leastNonzeroMagnitude]
    private static let texts = [
        "", "a", "ab", "$null", "gregorian", "iso8601", "chinese", "Europe/Berlin", "GMT+0100", "../../etc/passwd",
        "de_DE",
        "zh-Hant_TW@calendar=buddhist", "https://a.example:80/b?c#d", "//", "%zz", "{1, 2}", "{{1, 2}, {3, 4}}",
        "(a|b)+",
        "(?<=a{2,}", "\u{E9}", "e\u{301}", "\u{1F600}", "\u{FEFF}a", String(repeating: "x", count: 300), "12", "\u{0}",
    ]

    private var bytes: ArraySlice<UInt8>
    private var count = 0

    /// The archive that bytes stand for.
    static func archive(_ bytes: [UInt8]) -> Data {
        var archive = MadeUpArchive(bytes: bytes[...])
        return archive.make()
    }

    private init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    private mutating func next(_ limit: Int) -> Int { Int(bytes.popFirst() ?? 0) % limit }

    private mutating func make() -> Data {
        var contents = ArchiveContents()
        count = 1 + next(10)
        for _ in 0..<count {
            // Each takes two numbers, so that the numbers of all are known.
            let type = next(Self.classes.count + 12)
            if type < Self.classes.count {
                let (name, entries) = Self.classes[type]
                contents.add(name, entries.compactMap { name, kind in value(kind).map { (name, $0) } })
            } else {
                contents.add(value([.number, .real, .text, .text, .data, .list][type % 6]) ?? .text(""))
                contents.add(.text("$null"))
            }
        }
        return contents.data()
    }

    /// A value of a kind, and sometimes of another one.
    private mutating func value(_ kind: Kind) -> ArchiveContents.Value? {
        let isExpected = next(16) > 0
        switch isExpected ? kind : Kind.allCases[next(Kind.allCases.count)] {
        case .number: return .integer(next(4) > 0 ? next(13) : Self.numbers[next(Self.numbers.count)])
        case .real: return .real(Self.reals[next(Self.reals.count)])
        case .flag: return .boolean(next(2) > 0)
        case .text: return .text(Self.texts[next(Self.texts.count)])
        case .data:
            let data = (0..<next(20)).map { _ in UInt8(next(256)) }
            return .data(data)
        case .bitmap:
            let plane = [UInt8](repeating: UInt8(next(256)), count: 8192)
            let planes = (0..<next(3)).flatMap { _ in [UInt8(next(18))] + plane }
            return .data(Array((plane + planes).dropLast(next(2) * next(256))))
        case .object: return object()
        case .list:
            let list = (0..<next(4)).map { _ in object() }
            return .list(list)
        case .none: return nil
        }
    }

    /// A reference to one of the objects, and sometimes to a class, `nil` or nothing.
    private mutating func object() -> ArchiveContents.Value {
        next(16) > 0 ? .object(1 + 2 * next(count)) : .object(next(2 * count + 2))
    }
}
#endif
