@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// While a version of others is rejected or held back, memory is one function of it and of what this process writes, and each change
/// reaches the observers of a name and the keys that were read.
@Suite(.heavy) struct RejectedNameTests {
    private static let port = Defaults.Key<Int>("tls.port", default: 0)
    private static let tls = Defaults.Key<[String: Int]>("tls", default: [:])
    private static let everything = Defaults.Key<PropertyListValue?>("tls")

    private let folder = TemporaryFolder.forTest

    private func open(
        _ keys: Defaults.AnyKey...,
        newKeys: FileStoreOptions.Nesting.NewKeys = .likeOthers,
        seams: FileStoreSeams = .manual(),
        validate: StoreValidation.Validator? = nil
    ) throws -> Watched {
        let options = FileStoreOptions(isWatching: false, nesting: .init(newKeys: newKeys))
        return Watched(
            try JSONFileStore(path: folder.path("file"), keys: keys, options: options, validate: validate, seams: seams)
        )
    }

    /// A store with what a key that reads its cache, and an observer, have of `tls` and `tls.port`.
    private final class Watched {
        let store: JSONFileStore
        private let seen = Recorder<PropertyListChange.Entry>()
        private let observation: StoreObservation
        private static let names: [Defaults.Key<PropertyListValue?>] = [.init("tls"), .init("tls.port")]

        init(_ store: JSONFileStore) {
            self.store = store
            observation = store.observe(.named(["tls", "tls.port"]), initial: true) { [seen] change in
                for name in change.entries { seen(name) }
            }
        }

        /// Expects values, which are the same whoever reads them.
        func expect(
            tls: PropertyListValue?,
            port: PropertyListValue?,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let defaults = Defaults(store)
            for (key, value) in zip(Self.names, [tls, port]) {
                #expect(store.value(forKey: key.name) == value, sourceLocation: sourceLocation)
                #expect(defaults[key] == value, "cached \(key.name)", sourceLocation: sourceLocation)
                try await eventually("the observer of \(key.name) has it", within: .seconds(5)) { [seen] in
                    seen.values.last { $0.key == key.name }?.new == value
                }
            }
        }
    }

    @Test func `a name that is written beside a rejected version is seen when that is mended`() async throws {
        struct Rejection: Error {}
        try folder.write(#"{"a.x": 1, "b.y": 2}"#, to: "file")
        let watched = try open(Self.port, Defaults.Key<Int>("a.x", default: 0), Defaults.Key<Int>("b.y", default: 0)) {
            if $0["b.y"] == "bad" { throw Rejection() }
        }
        try folder.replace("file", #"{"a": {"x": 1}, "b": {"y": "bad"}}"#)
        #expect(throws: StoreError.self) { try watched.store.reload() }
        Defaults(watched.store)[Self.port] = 5
        try await watched.store.synchronize()
        #expect(Defaults(watched.store)[Self.everything] == watched.store.value(forKey: "tls"))
        try folder.replace("file", #"{"a": {"x": 1}, "b": {"y": 3}, "tls": {"port": 5}}"#)
        try await watched.store.reload()
        try await watched.expect(tls: ["port": 5], port: 5)
    }

    @Test func `a dictionary that is held back leaves the entries of names in it`() async throws {
        try folder.write(#"{"tls": {"port": 1}, "tls.port": 5}"#, to: "file")
        let watched = try open(Self.tls)
        try await watched.expect(tls: ["port": 1], port: 5)
        try folder.replace("file", #"{"tls": "bad", "tls.port": 5}"#)
        try? await watched.store.reload()
        try await watched.expect(tls: ["port": 1], port: 5)
        try folder.replace("file", #"{"tls": {"port": 2}, "tls.port": 6}"#)
        try await watched.store.reload()
        try await watched.expect(tls: ["port": 2], port: 6)
    }

    @Test func `a value that is held back at another place changes the dictionary there`() async throws {
        try folder.write(#"{"tls": {"port": "bad"}, "tls.port": 1}"#, to: "file")
        let watched = try open(Self.port)
        try await watched.expect(tls: ["port": "bad"], port: 1)
        try folder.replace("file", #"{"tls": {"port": "bad"}}"#)
        try? await watched.store.reload()
        try await watched.expect(tls: ["port": 1], port: 1)
        try folder.replace("file", #"{"tls": {"port": 2}}"#)
        try await watched.store.reload()
        try await watched.expect(tls: ["port": 2], port: 2)
    }

    @Test func `a dictionary is held back although this process has written a member of it`() async throws {
        try folder.write(#"{"tls": {"port": 1, "host": 1}}"#, to: "file")
        let host = Defaults.Key<Int>("tls.host", default: 0)
        let watched = try open(Self.tls, host)
        Defaults(watched.store)[host] = 2
        try folder.replace("file", #"{"tls": {"port": "bad", "host": 1}}"#)
        try? await watched.store.reload()
        try await watched.expect(tls: ["port": 1, "host": 2], port: 1)
        try folder.replace("file", #"{"tls": {"port": 3, "host": 1}}"#)
        try await watched.store.reload()
        try await watched.expect(tls: ["port": 3, "host": 2], port: 3)
    }

    @Test(arguments: [nil, 85, ["q": 1]] as [PropertyListValue?])
    func `a durable batch that writes a dictionary and then something else takes its names along`(
        last: PropertyListValue?
    ) async throws {
        try folder.write(#"{"tls.port": 7}"#, to: "file")
        let watched = try open()
        try await watched.expect(tls: nil, port: 7)
        var batch = PropertyListBatch()
        batch.expect(7, forKey: "tls.port")
        batch.set(["port": 1], forKey: "tls")
        batch.set(last, forKey: "tls")
        try await watched.store.commit(batch)
        try await watched.expect(tls: last, port: nil)
    }

    @Test func `a value that has another place when a batch is written is seen there`() async throws {
        try folder.write(#"{"tls": {"port": 1}}"#, to: "file")
        let watched = try open()
        let defaults = Defaults(watched.store)
        for port in [nil, 12] as [PropertyListValue?] {
            try watched.store.apply(
                PropertyListBatch(port.map { .set($0, key: "tls.port") } ?? .remove(key: "tls.port"))
            )
        }
        defaults.modify(Defaults.Key<Int>("x", default: 0)) { $0 += 1 }
        try await watched.expect(tls: ["port": 12], port: 12)
    }

    @Test(arguments: [false, true])
    func `a value that replaces one that is held back has its place in the file`(isNested: Bool) async throws {
        try folder.write("{}", to: "file")
        let watched = try open(Self.port, newKeys: .nested)
        try folder.replace("file", isNested ? #"{"tls": {"port": "bad"}}"# : #"{"tls.port": "bad"}"#)
        await #expect(throws: StoreError.self) { try await watched.store.reload() }
        Defaults(watched.store)[Self.port] = 11
        try await watched.store.synchronize()
        try await watched.store.reload()
        try await watched.expect(tls: isNested ? ["port": 11] : nil, port: 11)
    }

    @Test func `a version that is rejected is reported once, whatever this process writes`() throws {
        struct Rejection: Error {}
        try folder.write(#"{"tls": {"port": 1}}"#, to: "file")
        let process = try ProcessDouble(path: folder.path("file"), keys: ["tls.port", "tls.host"]) { table in
            if table["tls.port"] == 2 { throw Rejection() }
        }
        try folder.replace("file", #"{"tls": {"port": 2}}"#)
        process.look()
        for number in 1...3 { try process.save(["tls.host": .init(number)]) }
        #expect(process.notices == [.rejected])
        try process.save(["tls.port": 3])
        #expect(process["tls"] == ["port": 3, "host": 3])
    }

    @Test func `a write into a value that is held back stays`() async throws {
        try folder.write("{}", to: "file")
        let watched = try open(Defaults.Key<Int>("tls", default: 0))
        for x in 1...2 {
            try folder.replace("file", #"{"tls": {"port": 7, "x": \#(x)}}"#)
            await #expect(throws: StoreError.self) { try await watched.store.reload() }
            try watched.store.apply(PropertyListBatch(.set(.init(10 + x), key: "tls.port")))
            try await watched.store.synchronize()
            try await watched.expect(tls: watched.store.value(forKey: "tls"), port: .init(10 + x))
            #expect(try ProcessDouble(path: folder.path("file"))["tls"] == ["port": .init(10 + x), "x": .init(x)])
        }
    }

    @Test func `keys of a further store count while a value is held back`() async throws {
        try folder.write(#"{"a": 1}"#, to: "file")
        let seams = FileStoreSeams.manual()
        let watched = try open(Defaults.Key<Int>("a", default: 0), newKeys: .nested, seams: seams)
        try folder.replace("file", #"{"a": "bad"}"#)
        try? await watched.store.reload()
        let further = try open(Self.port, newKeys: .nested, seams: seams)
        Defaults(further.store)[Self.port] = 1
        try await further.store.synchronize()
        try await watched.expect(tls: ["port": 1], port: 1)
        try await further.expect(tls: ["port": 1], port: 1)
    }
}
