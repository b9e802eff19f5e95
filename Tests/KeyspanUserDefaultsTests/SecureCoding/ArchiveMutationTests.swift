#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import KeyspanUserDefaults
import Testing

/// Damaged and made-up archives of Foundation's classes, each of which is read as some object or is an error.
@Suite(.heavy) struct ArchiveMutationTests {
    private typealias Archivable = NSObject & NSSecureCoding

    /// An archive, and a function that reads a damaged one as the same class.
    private struct Sample: Sendable {
        let archive: Data
        let read: @Sendable (Data) -> Bool

        init<Object: Archivable>(_ object: Object) throws {
            archive = try #require(try Defaults.NSSecureCodingBridge<Object>().encode(object).dataValue)
            read = { ArchiveMutationTests.read($0, as: Object.self) }
        }
    }

    private static func samples() throws -> [Sample] {
        let ranges = NSMutableIndexSet(indexesIn: NSRange(location: 3, length: 400))
        ranges.add(in: NSRange(location: 1000, length: 1))
        let text = NSMutableAttributedString(string: "abcdef")
        text.setAttributes([NSAttributedString.Key("a"): NSNumber(value: 1)], range: NSRange(location: 1, length: 2))
        let calendar = try #require(NSCalendar(calendarIdentifier: .gregorian))
        let components = NSDateComponents()
        components.calendar = calendar as Calendar
        var name = PersonNameComponents()
        name.givenName = "a"
        return [
            try Sample(try #require(NSURL(string: "b", relativeTo: URL(string: "https://a.example")))),
            try Sample(NSUUID()), try Sample(try #require(NSTimeZone(name: "Europe/Berlin"))), try Sample(calendar),
            try Sample(try NSRegularExpression(pattern: "a+")),
            try Sample(NSArray(array: ["a", 1, 2.5, Date(), NSArray(array: ["b"])])),
            try Sample(NSDictionary(dictionary: ["a": 1, "b": NSDictionary(dictionary: ["c": Data([1])])])),
            try Sample(NSSet(array: ["a", 1])), try Sample(NSOrderedSet(array: ["a", 1, "b"])),
            try Sample(NSString(string: "a\u{1F600}")), try Sample(NSNumber(value: 5)),
            try Sample(NSData(data: Data([1]))),
            try Sample(NSMutableData(data: Data([1]))), try Sample(NSDate()), try Sample(NSNull()),
            try Sample(NSLocale(localeIdentifier: "de_DE")), try Sample(components),
            try Sample(name as NSPersonNameComponents),
            try Sample(NSMeasurement(doubleValue: 1, unit: UnitFuelEfficiency.milesPerGallon)),
            try Sample(UnitLength.miles),
            try Sample(CharacterSet(charactersIn: "a"..."z").inverted as NSCharacterSet),
            try Sample(CharacterSet.letters as NSCharacterSet), try Sample(ranges),
            try Sample(NSIndexPath(indexes: [1, 200, 70_000], length: 3)), try Sample(text),
            try Sample(NSValue(range: NSRange(location: 1, length: 2))),
            try Sample(NSValue(rect: NSRect(x: 1, y: 2, width: 3, height: 4))),
            try Sample(NSURLQueryItem(name: "a", value: "b")),
            try Sample(Track(title: "a", rating: 1, artist: Artist(name: "b"), tags: ["c"])),
            try Sample(Album(cassettes: [Cassette(title: "a", side: nil)])),
        ]
    }

    /// Reads an archive; what was read can be used, written and read again, or refused.
    private static func read<Object: Archivable>(_ archive: Data, as type: Object.Type) -> Bool {
        var context = Defaults.DecodingContext(isStrict: true)
        let bridge = Defaults.NSSecureCodingBridge<Object>()
        guard let object = try? bridge.decode(.data(archive), in: &context) else { return false }
        _ = (object.hash, object.isEqual(object))
        if let written = try? bridge.encode(object) {
            #expect((try? bridge.decode(written, in: &context)) != nil, "\(type) \(archive.base64EncodedString())")
        }
        return true
    }

    @Test(.seeded) func `archives of all classes with bytes changed end no program`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let samples = try Self.samples()
        for sample in samples { #expect(sample.read(sample.archive), "\(sample.archive.base64EncodedString())") }
        var errors = 0
        for _ in 0..<TestLevel.current.pick(1_000, thorough: 20_000) {
            let sample = samples[Int.random(in: samples.indices, using: &generator)]
            var damaged = sample.archive
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: damaged.indices, using: &generator)
                damaged[place] =
                    Bool.random(using: &generator)
                    ? .random(in: 0 ... .max, using: &generator)
                    : sample.archive[Int.random(in: damaged.indices, using: &generator)]
            }
            if !sample.read(damaged) { errors += 1 }
        }
        #expect(errors > 0)
    }

    @Test(.seeded) func `made-up archives of Foundation's classes end no program`() {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let types: [any Archivable.Type] = [
            NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self, NSData.self,
            NSDate.self, NSURL.self, NSUUID.self, NSLocale.self, NSTimeZone.self, NSCalendar.self,
            NSDateComponents.self,
            NSPersonNameComponents.self, Unit.self, NSMeasurement.self, NSCharacterSet.self, NSIndexSet.self,
            NSIndexPath.self, NSAttributedString.self, NSValue.self, NSRegularExpression.self, NSURLQueryItem.self,
        ]
        var objects = 0
        for _ in 0..<TestLevel.current.pick(1_000, thorough: 20_000) {
            let bytes = (0..<Int.random(in: 1...120, using: &generator)).map { _ in
                UInt8.random(in: 0 ... .max, using: &generator)
            }
            let archive = MadeUpArchive.archive(bytes)
            if types.contains(where: { Self.read(archive, as: $0) }) { objects += 1 }
        }
        #expect(objects > 0)
    }
}
#endif
