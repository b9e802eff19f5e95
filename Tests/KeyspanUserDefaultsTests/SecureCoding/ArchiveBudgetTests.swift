#if !canImport(Darwin)
import Foundation
import KeyspanUserDefaults
import Testing

/// The cost of reading an archive, counted in bytes and visited parts.
@Suite struct ArchiveBudgetTests {
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

    /// A list of many objects that have the same part as an entry.
    private static func list(of count: Int, name: (inout WrittenArchive) -> Int, value: (inout WrittenArchive) -> Int)
        -> Data
    {
        var archive = WrittenArchive(referenceSize: 2)
        let shared = (name(&archive), value(&archive))
        let classKey = archive.add(text: "$class")
        let null = archive.add(text: "$null")
        let names = archive.add(dictionary: [(archive.add(text: "$classname"), archive.add(text: "NSArray"))])
        let classReference = archive.add(object: 1)
        var objects: [Int] = []
        var references: [Int] = []
        for index in 3..<(3 + count) {
            objects.append(archive.add(dictionary: [(classKey, classReference), shared]))
            references.append(archive.add([0x81, UInt8(index >> 8), UInt8(index & 0xFF)]))
        }
        let elements = archive.add(array: references)
        let root = archive.add(dictionary: [(classKey, classReference), (archive.add(text: "NS.objects"), elements)])
        let all = archive.add(array: [null, names, root] + objects)
        let top = archive.add(dictionary: [(archive.add(text: "root"), archive.add(object: 2))])
        let entries = archive.add(dictionary: [
            (archive.add(text: "$objects"), all), (archive.add(text: "$top"), top),
            (archive.add(text: "$archiver"), archive.add(text: "NSKeyedArchiver")),
        ])
        return archive.data(top: entries)
    }

    @Test(arguments: [1, 100, 6000])
    func `an array that has many numbers is read once`(_ count: Int) throws {
        let archive = Self.repeatedArray(count)
        var budget = ArchiveBudget(for: archive)
        let list = try #require(ArchiveParts(archive, budget: &budget))
        #expect(budget.spent <= archive.count, "\(archive.count) bytes")
        let references = list.parts.reduce(0) { if case .array(let elements) = $1 { $0 + elements.count } else { $0 } }
        #expect(references <= archive.count)
    }

    @Test func `arrays that overlap are refused before all are read`() {
        let archive = Self.overlappingArrays(20_000)
        var budget = ArchiveBudget(for: archive)
        #expect(ArchiveParts(archive, budget: &budget) == nil)
        #expect(budget.spent <= archive.count)
    }

    @Test func `a list that contains itself is refused`() throws {
        var contents = ArchiveContents()
        contents.add("NSArray", [("NS.objects", .list([.object(1)]))])
        let reader = try ArchiveReader(contents.data())
        #expect(throws: ArchiveFault.self) { try reader.read(NSArray.self) }
    }

    @Test(arguments: [1, 1000])
    func `a long list is paid for in each object that has it`(_ count: Int) throws {
        let archive = Self.list(of: count, name: { $0.add(text: "NS.objects") }) { archive in
            let null = archive.add(object: 1)
            return archive.add(array: Array(repeating: null, count: 15_000))
        }
        let reader = try ArchiveReader(archive)
        #expect(throws: ArchiveFault.self) { try reader.read(NSArray.self) }
        #expect(reader.budget.spent <= reader.budget.limit)
    }

    @Test(arguments: [1, 1000])
    func `a long name is paid for in each object that has it`(_ count: Int) throws {
        let long: [UInt8] = [0x6F, 0x11, 0x3A, 0x98] + (0..<30_000).map { $0.isMultiple(of: 2) ? 0x00 : 0xE9 }
        let archive = Self.list(of: count, name: { $0.add(long) }, value: { $0.add([0x08]) })
        let reader = try ArchiveReader(archive)
        let read = try? reader.read(NSArray.self)
        #expect(read?.count == (count == 1 ? 1 : nil))
        #expect(reader.budget.spent <= reader.budget.limit)
    }

    /// Each would take eight bytes for each of the data.
    @Test func `data is paid for by each object that makes something of it`() throws {
        var contents = ArchiveContents()
        contents.add("NSArray", [("NS.objects", .list((0..<1000).map { .object(4 + $0) }))])
        contents.add(.data([UInt8](repeating: 1, count: 10_000)))
        for _ in 0..<1000 {
            contents.add(
                .entries([
                    ("NSIndexPathLength", .integer(10_000)), ("NSIndexPathData", .object(3)), ("$class", .object(1004)),
                ])
            )
        }
        contents.add(.entries([("$classname", .text("NSIndexPath"))]))
        let reader = try ArchiveReader(contents.data())
        let error = #expect(throws: ArchiveFault.self) { try reader.read(NSArray.self) }
        #expect(error?.reason.contains("too much") == true)
        #expect(reader.budget.spent <= reader.budget.limit)
    }

    @Test func `objects that share one object are read`() throws {
        let cassette = Cassette(title: "a", side: nil)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: Album(cassettes: Array(repeating: cassette, count: 500)),
            requiringSecureCoding: true
        )
        let reader = try ArchiveReader(archive)
        let album = try reader.read(Album.self)
        #expect(album.cassettes.count == 500 && album.cassettes.first === album.cassettes.last)
        #expect(reader.budget.spent <= 4 * archive.count)
    }
}
#endif
