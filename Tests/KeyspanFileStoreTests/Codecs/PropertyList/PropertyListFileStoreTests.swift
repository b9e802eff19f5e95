import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The particulars of property-list files.
///
/// Other suites test the common behavior with all formats.
@Suite
struct PropertyListFileStoreTests {
    typealias Format = PropertyListFormat

    private let folder: TemporaryFolder
    private let fraction = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1.75))
    private let wholeSecond = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1))

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ format: Format? = nil,
        options: FileStoreOptions = .unhurried,
        tables: OpenEngines = OpenEngines()
    ) throws -> PropertyListFileStore {
        try PropertyListFileStore(
            path: folder.path("app.plist"),
            format: format,
            options: options,
            seams: FileStoreSeams(fileSystem: POSIXFileSystem(), queue: ManualWorkQueue(), openEngines: tables)
        )
    }

    private func write(_ table: PropertyListTable, _ format: Format) throws {
        try folder.write(PropertyListData.encode(table, as: format), to: "app.plist")
    }

    private func format() throws -> Format {
        PropertyListData.format(of: try folder.bytes(of: "app.plist"))
    }

    /// The formats of the file before, and of the store, and the one that a save makes of both.
    @Test(
        arguments: [
            (.xml, nil, .xml), (.binary, nil, .binary), (.xml, .binary, .binary), (.binary, .xml, .xml),
            (nil, nil, .binary), (nil, .xml, .xml), (nil, .binary, .binary),
        ] as [(Format?, Format?, Format)],
        [FileStoreOptions(), .oneFile]
    )
    func `a property-list file store keeps the format of a file unless another is chosen, and makes binary files`(
        formats: (old: PropertyListFormat?, chosen: PropertyListFormat?, new: PropertyListFormat),
        options: FileStoreOptions
    ) throws {
        if let old = formats.old { try write(["old": wholeSecond], old) }
        do {
            let store = try open(formats.chosen, options: options)
            // The file is not converted before it is saved.
            if let old = formats.old { #expect(try format() == old) }
            try store.apply(PropertyListBatch(.set(["a": 1.0], key: "new")))
        }
        #expect(try format() == formats.new)
        let values: PropertyListTable =
            formats.old == nil ? ["new": ["a": 1.0]] : ["old": wholeSecond, "new": ["a": 1.0]]
        #expect(try PropertyListData.parseTable(folder.bytes(of: "app.plist")) == values)
        #expect(try open().snapshot() == values)
    }

    @Test func `a property-list file store takes the format of a file that others make before it writes`() throws {
        let store = try open(options: .oneFile)
        try write(["theirs": 1], .xml)
        try store.synchronize()
        try store.apply(PropertyListBatch(.set(2, key: "mine")))
        try store.synchronize()
        #expect(try PropertyListData.parseTable(folder.bytes(of: "app.plist")) == ["theirs": 1, "mine": 2])
    }

    @Test(arguments: [FileStoreOptions.unhurried, .oneFile, FileStoreOptions(durability: .everyBatch)])
    func `a property-list file store shows a date as the file will hold it`(options: FileStoreOptions) throws {
        let heard = Recorder<PropertyListValue?>()
        do {
            let store = try open(.xml, options: options)
            let observation = store.observe(.all, initial: false) { change in
                heard.record(change["key"]?.new)
            }
            try store.apply(PropertyListBatch(.set(["in": [fraction, 1]], key: "key")))
            #expect(store.value(forKey: "key") == ["in": [wholeSecond, 1]])
            observation.cancel()
        }
        #expect(heard.values == [["in": [wholeSecond, 1]]])
        #expect(try open(.xml).value(forKey: "key") == ["in": [wholeSecond, 1]])
    }

    @Test(
        arguments: [
            ("key", "a\u{1}"), ("key", ["a": ["\u{FFFE}"]]), ("key", ["\0": 1]), ("k\u{2}", 1),
            ("key", .date(Date(timeIntervalSinceReferenceDate: .infinity))),
            ("key", .date(Date(timeIntervalSinceReferenceDate: 1e12))),
        ] as [(String, PropertyListValue)],
        [FileStoreOptions.unhurried, FileStoreOptions(durability: .everyBatch)]
    )
    func `a property-list file store refuses what XML cannot hold, and changes nothing`(
        write: (key: String, value: PropertyListValue),
        options: FileStoreOptions
    ) throws {
        let store = try open(.xml, options: options)
        var batch = PropertyListBatch(.set(1, key: "other"))
        batch.set(write.value, forKey: write.key)
        let error = #expect(throws: StoreError.self) { try store.apply(batch) }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.key == write.key)
        #expect(error?.reason.contains("XML") == true)
        #expect(error?.remedy.contains("binary") == true)
        #expect(store.snapshot().isEmpty)
        let binary = try PropertyListFileStore(path: folder.path("binary.plist"), options: options)
        if write.key == "key" { #expect(throws: Never.self) { try binary.apply(batch) } }
    }

    @Test func `a property-list file store does not open a file for conversion to a format that cannot hold it`() throws
    {
        try write(["key": "a\u{1}"], .binary)
        let bytes = try folder.bytes(of: "app.plist")
        let error = #expect(throws: FileStoreError.self) { try open(.xml) }
        #expect(error?.step == .parse)
        #expect(error?.reason.contains("U+1") == true && error?.reason.contains("key") == true)
        #expect(try folder.bytes(of: "app.plist") == bytes)
        #expect(try open().value(forKey: "key") == "a\u{1}")
    }

    @Test func `a property-list file store shows a file that will be converted as it will be`() throws {
        try write(["key": fraction], .binary)
        #expect(try open(.xml).value(forKey: "key") == wholeSecond)
    }

    @Test(arguments: [Format.xml, .binary])
    func `a property-list file store is refused while it is open in this process with another format`(
        format: PropertyListFormat
    ) throws {
        let tables = OpenEngines()
        try write(["key": 1], format)
        let store = try open(format, tables: tables)
        let other: Format = format == .xml ? .binary : .xml
        for wrong in [other, nil] {
            let error = #expect(throws: FileStoreError.self) { try open(wrong, tables: tables) }
            #expect(error?.reason.contains("another format") == true)
        }
        let json = #expect(throws: FileStoreError.self) {
            try JSONFileStore(
                path: folder.path("app.plist"),
                options: .unhurried,
                seams: FileStoreSeams(fileSystem: POSIXFileSystem(), queue: ManualWorkQueue(), openEngines: tables)
            )
        }
        #expect(json?.path == folder.path("app.plist"))
        #expect(try open(format, tables: tables).value(forKey: "key") == store.value(forKey: "key"))
    }

    @Test func `a property-list file store of one format shares a file with processes that have it open in the other`()
        throws
    {
        let xml = try ProcessDouble(path: folder.path("app.plist"), format: .xml)
        let binary = try ProcessDouble(path: folder.path("app.plist"), format: .binary)
        try binary.save(["date": fraction, "first": 1])
        try xml.save(["second": 2])
        // As this process holds it, and would write it.
        #expect(xml["date"] == wholeSecond)
        binary.look()
        // The record of the other process repeats what it holds beyond the file.
        #expect(binary.store.snapshot() == ["date": wholeSecond, "first": 1, "second": 2])
        xml.passTime()
        binary.look()
        #expect(try PropertyListData.parseTable(folder.bytes(of: "app.plist"))["second"] == 2)
        #expect(binary["second"] == 2 && xml["first"] == 1)
    }

    @Test func `a property-list file store reports a checkpoint that its format cannot hold, and loses nothing`() throws
    {
        let beyond = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1e12))
        let xml = try ProcessDouble(path: folder.path("app.plist"), format: .xml)
        let binary = try ProcessDouble(path: folder.path("app.plist"), format: .binary)
        try binary.save(["key": beyond])
        try xml.save(["own": 1])
        xml.passTime()
        #expect(xml.failures.contains(.write))
        #expect(xml["key"] == beyond)
        binary.look()
        binary.passTime()
        #expect(try PropertyListData.parseTable(folder.bytes(of: "app.plist")) == ["key": beyond, "own": 1])
    }

    @Test func `a property-list file store keeps control characters that the file has already`() throws {
        try folder.write(Array("<dict><key>a\u{2}</key><string>b\u{1}\r\n</string></dict>".utf8), to: "app.plist")
        do {
            let store = try open(options: .oneFile)
            #expect(store.value(forKey: "a\u{2}") == "b\u{1}\r\n")
            try store.apply(PropertyListBatch(.set(1, key: "new")))
        }
        #expect(try format() == .xml)
        #expect(try open().snapshot() == ["a\u{2}": "b\u{1}\r\n", "new": 1])
    }

    @Test(arguments: [
        "{\"a\": 1}", "<plist><array/></plist>", "<dict><key>a</key><true/><key>a</key><true/></dict>",
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><dict/>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><dict><key>a</key><string>&a;</string></dict>", "bplist00", "",
    ])
    func `a property-list file store leaves a file that it cannot read, and says where it is wrong`(text: String) throws
    {
        try folder.write(Array(text.utf8), to: "app.plist")
        let error = #expect(throws: FileStoreError.self) { try open() }
        #expect(error?.step == .parse)
        let cause = try #require(error?.underlying as? PropertyListDataError)
        #expect(error?.reason.contains("\(cause.place)") == true)
        #expect(try folder.bytes(of: "app.plist") == Array(text.utf8))
        #expect(try folder.names == ["app.plist"])
    }

    @Test(arguments: [Format.xml, .binary])
    func `a property-list file store restores the last good copy`(format: PropertyListFormat) throws {
        let options = FileStoreOptions(journal: .none, recovery: .lastGoodCopy)
        do {
            try open(format, options: options).apply(PropertyListBatch(.set("good", key: "key")))
        }
        try folder.write(Array("<plist><dict>".utf8), to: "app.plist")
        let store = try open(options: options)
        #expect(store.value(forKey: "key") == "good")
        #expect(store.recovery?.hadGoodCopy == true)
        #expect(try self.format() == format)
        #expect(try folder.names.contains(".app.plist.last-good"))
    }
}
