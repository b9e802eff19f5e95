@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A write takes effect at the place that its name has in the file as it is then, whatever its writer knew.
@Suite(.heavy) struct NamePlaceTests {
    private let folder = TemporaryFolder.forTest

    private func open(_ keys: String..., options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file"), keys: keys, options: options)
    }

    private func exchange(_ processes: ProcessDouble...) throws {
        for process in processes + processes {
            process.look()
            try process.store.synchronize()
            process.passTime()
        }
    }

    private static let options: [FileStoreOptions] = [
        FileStoreOptions(),
        FileStoreOptions(durability: .everyBatch),
        FileStoreOptions(durability: .onSynchronize),
        FileStoreOptions(journal: .none),
    ]

    @Test(arguments: options)
    func `a write goes where the value is now`(options: FileStoreOptions) throws {
        try folder.write(#"{"tls": {"port": 1}}"#, to: "file")
        let (writer, other) = try (open("tls.port", options: options), open(options: options))
        try other.save(["tls.port": nil])
        try other.save(["tls.port": 9])
        try writer.save(["tls.port": 5])
        #expect(try open()["tls.port"] == 5)
        try exchange(writer, other)
        #expect(try open()["tls.port"] == 5)
    }

    @Test(arguments: options)
    func `a new name that two processes write has one value`(options: FileStoreOptions) throws {
        var nesting = options
        nesting.nesting.newKeys = .nested
        for options in [options, nesting] {
            try folder.overwrite("file", "{}")
            let (writer, other) = try (open("tls.port", options: options), open(options: options))
            try other.save(["tls.port": 9])
            try writer.save(["tls.port": 5])
            try exchange(writer, other)
            #expect(try open()["tls.port"] == 5)
            try writer.save(["tls.port": nil])
            try exchange(writer, other)
            #expect(try open()["tls.port"] == nil)
        }
    }

    @Test(arguments: options)
    func `stores that refuse a name with two values make no such file`(options: FileStoreOptions) throws {
        var options = options
        options.nesting.duplicates = .areRefused
        let (writer, other) = try (open("tls.port", options: options), open(options: options))
        try other.set(["tls.port": 9])
        try writer.set(["tls.port": 5])
        try exchange(other, writer)
        var batch = PropertyListBatch()
        batch.removeAll()
        batch.set(5, forKey: "tls.port")
        batch.set(["port": 6], forKey: "tls")
        for process in [other, writer] {
            try process.store.apply(batch)
            try exchange(other, writer)
            #expect(try open()["tls.port"] == 6)
        }
        _ = try open("tls.port", options: options)
        #expect(writer.failures.isEmpty && other.failures.isEmpty)
    }

    /// A file before and after an edit with an unusable value of `tls.port`, and the value that the key keeps.
    struct Edit: CustomTestStringConvertible {
        let before: String
        let after: String
        let kept: PropertyListValue?

        init(_ before: String, _ after: String, keeping kept: PropertyListValue?) {
            (self.before, self.after, self.kept) = (before, after, kept)
        }

        var testDescription: String { "\(before) → \(after)" }
    }

    private static let edits = [
        Edit("{}", #"{"tls": {"port": "bad"}}"#, keeping: nil),
        Edit(#"{"tls": {"port": 1}}"#, #"{"tls": {"port": 1}, "tls.port": "bad"}"#, keeping: 1),
        Edit(#"{"tls": {"port": 1}}"#, #"{"tls": {"port": "bad", "x": 1}}"#, keeping: 1),
        Edit(#"{"tls": {"port": 1}}"#, #"{"tls": {}, "tls.port": "bad"}"#, keeping: 1),
        Edit(#"{"tls.port": 1}"#, #"{"tls": {"port": "bad"}}"#, keeping: 1),
        Edit(#"{"tls": {"port": 1}}"#, #"{"tls": {"port": "bad"}, "tls.port": "worse"}"#, keeping: 1),
        Edit(#"{"tls": 5}"#, #"{"tls": {"port": "bad"}}"#, keeping: nil),
        Edit(#"{"x.y": 1, "tls": {}}"#, #"{"tls": {"port": "bad"}}"#, keeping: nil),
    ]

    @Test(arguments: edits, [FileStoreOptions.UnusableValues.areHeldBack, .areRefused])
    func `an unusable value does not take effect at any place of its name`(
        edit: Edit,
        unusable: FileStoreOptions.UnusableValues
    ) throws {
        for newKeys in [FileStoreOptions.Nesting.NewKeys.flat, .nested, .likeOthers] {
            try folder.overwrite("file", edit.before)
            let options = FileStoreOptions(
                isWatching: false,
                nesting: .init(newKeys: newKeys),
                unusableValues: unusable
            )
            let store = try JSONFileStore(
                path: folder.path("file"),
                keys: [Defaults.Key<Int>("tls.port", default: 0)],
                options: options,
                seams: .manual()
            )
            try folder.overwrite("file", edit.after)
            try? store.reload()
            #expect(store.value(forKey: "tls.port") == edit.kept)
            try folder.overwrite("file", #"{"tls": {"port": 7}}"#)
            try store.reload()
            #expect(store.value(forKey: "tls.port") == 7)
            #expect(store.value(forKey: "tls") == ["port": 7])
        }
    }
}
