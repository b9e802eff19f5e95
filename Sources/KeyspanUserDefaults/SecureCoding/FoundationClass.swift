#if !canImport(Darwin)
internal import Foundation
internal import KeyspanCore

/// What Foundation on Linux requires of an archive of one of its classes, most of which trust an archive blindly.
///
/// Taken from the sources of swift-corelibs-foundation 6.2 to 6.3. A class that is not named here is not read: its archives cannot be
/// checked, or it cannot read what it writes.
enum FoundationClass: Equatable {
    /// A class of the program.
    case own
    /// A class of Foundation, by its name, or one that inherits from it.
    case readable(String)
    case refused(String)

    /// Why no object of the class is read or written; `nil` if it is.
    var reason: String? { if case .refused(let reason) = self { reason } else { nil } }

    /// The classes of property lists.
    static var propertyLists: [AnyClass] {
        [NSArray.self, NSDictionary.self, NSString.self, NSData.self, NSDate.self, NSNumber.self]
    }

    /// The classes that read any archive through ``ArchiveReader``: they return `nil` where something is missing.
    private static let unconditional: Set<Substring> = Set(
        """
        NSArray NSMutableArray NSString NSMutableString NSNumber NSData NSMutableData NSDate NSNull NSURL NSUUID NSLocale \
        NSTimeZone NSDateComponents NSPersonNameComponents Unit Dimension UnitConverterLinear NSUnitConverterReciprocal
        """.split(separator: " ")
    )

    /// The classes that read some archives, and which.
    private static let conditional: [Substring: @Sendable (ArchiveReader) -> Bool] = [
        "NSSet": { hasHashable("NS.object.", $0) },
        "NSMutableSet": { hasHashable("NS.object.", $0) },
        "NSOrderedSet": { hasHashable("NS.object.", $0) },
        "NSMutableOrderedSet": { hasHashable("NS.object.", $0) },
        "NSDictionary": { $0.hasPairs && hasHashable("NS.key.", $0) },
        "NSMutableDictionary": { $0.hasPairs && hasHashable("NS.key.", $0) },
        // Without such a name, it ends the program.
        "NSURLQueryItem": { $0.decodeObject(forKey: "NS.name") is NSString },
        // A larger number ends the program when the object is hashed.
        "NSMeasurement": { isHashable($0.decodeDouble(forKey: "NS.value")) },
        "NSRegularExpression": { (0..<128).contains($0.decodeInteger(forKey: "NSOptions")) },
        "NSCalendar": { coder in
            ["NS.firstwkdy", "NS.mindays"].allSatisfy { (1...7).contains(coder.decodeInteger(forKey: $0)) }
        },
        // All others are written as bytes of memory.
        "NSValue": { [1, 2, 3, 4, 12].contains($0.decodeInteger(forKey: "NS.special")) },
        "NSIndexPath": { coder in
            let count = coder.decodeInteger(forKey: "NSIndexPathLength")
            return count <= 1 || packedIntegers(in: coder, "NSIndexPathData")?.count == count
        },
        "NSIndexSet": { hasRanges($0) },
        "NSMutableIndexSet": { hasRanges($0) },
        "NSCharacterSet": { hasCharacters($0) },
        "NSMutableCharacterSet": { hasCharacters($0) },
        "NSAttributedString": { hasRuns($0) },
        "NSMutableAttributedString": { hasRuns($0) },
    ]

    /// The classes that cannot be stored at all, and why.
    private static let reasons: [Substring: String] = [
        "NSError": "Foundation on Linux cannot archive it; store its domain and code",
        "NSDecimalNumber": "Foundation on Linux cannot archive it; store a Decimal",
        "NSDateInterval": "Foundation on Linux does not read its end; store a DateInterval",
        "NSConcreteValue":
            "of NSValue, only points, sizes, rectangles, edge insets and ranges can be archived on Linux",
    ]

    private static let modules: Set<Substring> = ["Foundation", "FoundationNetworking", "FoundationXML"]

    /// Finds a class or the nearest one of Foundation's that it inherits from.
    static func of(_ type: AnyClass) -> FoundationClass {
        var next: AnyClass? = type
        while let current = next, current != NSObject.self {
            let parts = String(reflecting: current).split(separator: ".")
            if parts.count == 2, modules.contains(parts[0]), current is any NSSecureCoding.Type {
                let name = parts[1]
                if unconditional.contains(name) || conditional[name] != nil { return .readable(String(name)) }
                // These inherit the reading.
                guard name.hasPrefix("Unit") else {
                    return .refused(reasons[name] ?? "Foundation on Linux cannot read its archives safely")
                }
            }
            next = (current as? NSObject.Type)?.superclass
        }
        return .own
    }

    /// Whether a class is one of Foundation's.
    static func isFoundations(_ type: AnyClass) -> Bool {
        modules.contains(String(reflecting: type).prefix { $0 != "." })
    }

    /// Whether a class is one of Foundation's that is read.
    static func isReadable(_ type: AnyClass) -> Bool { isFoundations(type) && of(type).reason == nil }

    /// Why an object cannot be written; `nil` if it can.
    static func refusal(of object: NSObject) -> String? {
        // Some objects are archived as another class than theirs.
        if let reason = reasons[String(reflecting: type(of: object)).split(separator: ".").last ?? ""] { return reason }
        switch object {
        case let measurement as NSMeasurement where !isHashable(measurement.doubleValue):
            return "its number is too large"
        case let path as NSIndexPath where (0..<path.length).contains { path.index(atPosition: $0) < 0 }:
            return "it has a negative index"
        default: return of(object.classForKeyedArchiver ?? type(of: object)).reason
        }
    }

    /// Whether the object that a coder is about to make can be made.
    func accepts(_ coder: ArchiveReader) -> Bool {
        guard case .readable(let name) = self else { return true }
        return Self.conditional[name[...]]?(coder) ?? true
    }

    /// Whether an object that was made can be converted to Swift, which Foundation's classes do with objects inside them.
    static func isUsable(_ object: NSObject) -> Bool {
        guard let url = object as? NSURL else { return true }
        return URL(string: url.absoluteString, relativeTo: url.baseURL) != nil
    }

    /// The object for a plain value, and the class that it counts as.
    static func object(of value: PropertyListValue) -> (object: NSObject, type: AnyClass)? {
        switch value {
        case .boolean(let value): (NSNumber(value: value), NSNumber.self)
        case .integer(let value):
            (value.int64.map { NSNumber(value: $0) } ?? NSNumber(value: value.uint64 ?? 0), NSNumber.self)
        case .real(let value): (NSNumber(value: value), NSNumber.self)
        case .date(let value):
            (NSDate(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate), NSDate.self)
        case .data(let value): (NSData(data: value), NSData.self)
        case .string(let value): (NSString(string: value), NSString.self)
        case .array, .dictionary: nil
        }
    }

    // MARK: Conditions

    private static func isHashable(_ number: Double) -> Bool { abs(number) < 0x1p62 }

    /// Whether none of the elements with a prefix is an array, a dictionary, or unequal to itself, which no collection of Swift can have.
    ///
    /// A conversion to such a collection would end the program, and Foundation's comparisons convert. So only numbers, other values and
    /// dates are compared here: sets in sets would take twice as long with each level.
    private static func hasHashable(_ prefix: String, _ coder: ArchiveReader) -> Bool {
        var index = 0
        while coder.containsValue(forKey: "\(prefix)\(index)") {
            guard let object = coder.decodeObject(forKey: "\(prefix)\(index)") as? NSObject,
                !(object is NSArray), !(object is NSDictionary),
                !(object is NSValue || object is NSDate) || object.isEqual(object)
            else { return false }
            index += 1
        }
        return true
    }

    /// Whether there are ranges of indexes, in order.
    private static func hasRanges(_ coder: ArchiveReader) -> Bool {
        let count = coder.decodeInteger(forKey: "NSRangeCount")
        guard count != 0 else { return true }
        let single = [coder.decodeInteger(forKey: "NSLocation"), coder.decodeInteger(forKey: "NSLength")]
        guard let numbers = count == 1 ? single : packedIntegers(in: coder, "NSRangeData"),
            count > 0, numbers.count.isMultiple(of: 2), numbers.count / 2 == count
        else { return false }
        var end = 0
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let (location, length) = (numbers[index], numbers[index + 1])
            guard location >= end, length > 0 || count == 1 && length == 0, length < Int.max - location else {
                return false
            }
            end = location + length
        }
        return true
    }

    /// Whether there are a known set, a range of Unicode, a text, or a bitmap of whole planes.
    private static func hasCharacters(_ coder: ArchiveReader) -> Bool {
        if coder.containsValue(forKey: "NSRange") {
            let range = UInt64(bitPattern: coder.decodeInt64(forKey: "NSRange"))
            guard (range >> 32) + (range & 0xFFFF_FFFF) <= 0x11_0000 else { return false }
        }
        guard let bitmap = coder.decodeObject(of: NSData.self, forKey: "NSBitmapObject").map(Data.init(referencing:)),
            bitmap.count > 8192
        else { return true }
        // Each further plane has its number in front, which Foundation does not check.
        let planes = stride(from: 8192, to: bitmap.count, by: 8193).map { bitmap[bitmap.startIndex + $0] }
        return (bitmap.count - 8192).isMultiple(of: 8193) && planes.allSatisfy { (1...16).contains($0) }
            && Set(planes).count == planes.count
    }

    /// Whether the attributes are for the whole text, or for runs that fill it.
    private static func hasRuns(_ coder: ArchiveReader) -> Bool {
        let text = coder.decodeObject(of: NSString.self, forKey: "NSString") ?? ""
        guard coder.containsValue(forKey: "NSAttributeInfo"), text.length > 0 else { return true }
        guard let numbers = packedIntegers(in: coder, "NSAttributeInfo") else { return false }
        var left = text.length
        for index in stride(from: 0, to: numbers.count, by: 2) where left > 0 {
            guard (1...left).contains(numbers[index]) else { return false }
            left -= numbers[index]
        }
        // Foundation copies the attributes of each run.
        coder.spend(onElements: stride(from: 1, to: numbers.count, by: 2).lazy.map { numbers[$0] }, of: "NSAttributes")
        return left == 0
    }

    /// Numbers in groups of seven bits, the lowest first; `nil` if the data is missing or a number is larger than an `Int`.
    private static func packedIntegers(in coder: ArchiveReader, _ key: String) -> [Int]? {
        guard let data = coder.decodeObject(of: NSData.self, forKey: key) else { return nil }
        var (numbers, number, shift) = ([Int](), 0, 0)
        for byte in Data(referencing: data) {
            guard shift < 63 else { return nil }
            number |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            numbers.append(number)
            (number, shift) = (0, 0)
        }
        return shift == 0 ? numbers : nil
    }
}
#endif
