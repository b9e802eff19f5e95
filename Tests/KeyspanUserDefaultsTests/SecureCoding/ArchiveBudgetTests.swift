#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanUserDefaults
import Testing

/// The cost of checking an archive, counted in visited objects.
@Suite struct ArchiveBudgetTests {
    /// An archive whose object has an array of two references to one array, and so on.
    private static func doubledArrays(_ levels: Int) -> Data {
        var archive = WrittenArchive()
        var content = archive.add(array: [])
        for _ in 0..<levels { content = archive.add(array: [content, content]) }
        return archive.archive(of: Track.self, content: content)
    }

    /// An archive in which all of many numbers lead to one array of as many references.
    private static func repeatedArray(_ count: Int) -> Data {
        var archive = WrittenArchive(referenceSize: 2)
        let element = archive.add([0x08])
        let content = archive.add(array: Array(repeating: element, count: count))
        archive.repeatLastPart(count)
        return archive.archive(of: Track.self, content: content)
    }

    /// A list with an array whose references read as arrays of 64 elements too, and parts that begin at each of those.
    private static func overlappingArrays(_ count: Int) -> Data {
        let parts = 0xAF11 + 1
        var bytes = Array("bplist00".utf8) + [0xAF, 0x11, UInt8(2 * count >> 8), UInt8(2 * count & 0xFF)]
        for _ in 0..<count { bytes += [0xAF, 0x11, 0x00, 0x40] }
        let table = bytes.count
        for part in 0..<parts {
            let offset = 8 + (part < count - 64 ? 4 * part : 0)
            bytes += [UInt8(offset >> 16), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)]
        }
        bytes += [0, 0, 0, 0, 0, 0, 3, 2]
        for number in [parts, 0, table] { bytes += (0..<8).reversed().map { UInt8(number >> (8 * $0) & 0xFF) } }
        return Data(bytes)
    }

    /// Looks through an archive, and answers whether it may be read and what that took.
    private static func check(_ archive: Data) -> (isGood: Bool, spent: Int) {
        var budget = ArchiveBudget(for: archive)
        do {
            try ArchiveOutline(archive, budget: &budget).check(Track.self, budget: &budget)
            return (true, budget.spent)
        } catch {
            return (false, budget.spent)
        }
    }

    @Test(arguments: [0, 1, 8, 12, 30, 60, 100, 127, 200])
    func `shared arrays in one another are looked at once`(_ levels: Int) {
        let archive = Self.doubledArrays(levels)
        let (isGood, spent) = Self.check(archive)
        #expect(spent <= 4 * archive.count, "\(archive.count) bytes")
        // 2^12 arrays are still few; Foundation would make 2^30 of 30 levels.
        #expect(isGood == (levels <= 12))
        var context = Defaults.DecodingContext(isStrict: true)
        #expect(throws: ValueDecodingError.self) { try Track.bridge.decode(.data(archive), in: &context) }
    }

    @Test(arguments: [1, 100, 6000])
    func `an array that has many numbers is read once`(_ count: Int) throws {
        let archive = Self.repeatedArray(count)
        let (isGood, spent) = Self.check(archive)
        #expect(isGood)
        #expect(spent <= 4 * archive.count, "\(archive.count) bytes")
        var budget = ArchiveBudget(for: archive)
        let list = try #require(ArchiveParts(archive, budget: &budget))
        let references = list.parts.reduce(0) { $0 + $1.inner.count }
        #expect(references <= archive.count)
    }

    @Test func `arrays that overlap are refused before all are read`() {
        let archive = Self.overlappingArrays(20_000)
        let (isGood, spent) = Self.check(archive)
        #expect(!isGood)
        #expect(spent <= archive.count)
    }

    /// An array that contains itself, by a list that is one of the objects as well.
    private static func archiveOfItself(listIsEntry: Bool) -> Data {
        var archive = WrittenArchive()
        let null = archive.add(text: "$null")
        let list = archive.add(array: [archive.add(object: 1)])
        var entries = [(archive.add(text: "$class"), archive.add(object: 2))]
        if listIsEntry { entries.append((archive.add(text: "a"), archive.add(object: 3))) }
        entries.append((archive.add(text: "NS.objects"), list))
        let root = archive.add(dictionary: entries.map { (name: $0.0, value: $0.1) })
        let type = archive.add(dictionary: [
            (archive.add(text: "$classname"), archive.add(text: NSStringFromClass(NSArray.self)))
        ])
        let objects = archive.add(array: [null, root, type, list])
        let top = archive.add(dictionary: [(archive.add(text: "root"), archive.add(object: 1))])
        return archive.data(
            top: archive.add(dictionary: [
                (archive.add(text: "$objects"), objects), (archive.add(text: "$top"), top),
                (archive.add(text: "$archiver"), archive.add(text: "NSKeyedArchiver")),
                (archive.add(text: "$version"), archive.add([0x12, 0, 1, 0x86, 0xA0])),
            ])
        )
    }

    @Test(arguments: [false, true])
    func `a part that is a list and an object is looked at as both`(listIsEntry: Bool) {
        let archive = Self.archiveOfItself(listIsEntry: listIsEntry)
        var budget = ArchiveBudget(for: archive)
        #expect(throws: (any Error).self) {
            try ArchiveOutline(archive, budget: &budget).check(NSArray.self, budget: &budget)
        }
    }

    @Test func `a long name is paid for in each dictionary that has it`() {
        var archive = WrittenArchive(referenceSize: 2)
        let long = archive.add([0x6F, 0x11, 0x3A, 0x98] + (0..<15_000).flatMap { _ in [0x00, 0xE9] as [UInt8] })
        let short = archive.add(text: "b")
        let value = archive.add([0x08])
        var below = archive.add(array: [])
        for _ in 0..<20 {
            let inner = (0..<100).map { _ in
                archive.add(dictionary: [(name: long, value: value), (name: short, value: value)])
            }
            below = archive.add(array: inner + [below])
        }
        let data = archive.data(top: below)
        var budget = ArchiveBudget(for: data)
        #expect(ArchiveParts(data, budget: &budget) == nil)
        #expect(budget.spent <= budget.limit)
    }

    @Test func `objects that share one object are read`() throws {
        let artist = Artist(name: "a")
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: Array(repeating: Track(title: "t", rating: 1, artist: artist), count: 500)),
            requiringSecureCoding: true
        )
        var budget = ArchiveBudget(for: archive)
        try ArchiveOutline(archive, budget: &budget).check(NSArray.self, budget: &budget)
        #expect(budget.spent <= 4 * archive.count)
    }
}
#endif
