import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import KeyspanUserDefaults
import Testing

/// Classes that support secure coding as the values of keys.
@Suite(.heavy) struct SecureCodingTests {
    private static var track: Track {
        Track(title: "a", rating: 5, artist: Artist(name: "b"), tags: ["c", "d"])
    }

    private static func stored<Value: Defaults.Serializable>(_ value: Value) throws -> PropertyListValue {
        let store = InMemoryStore()
        try Defaults(store).set(value, for: Defaults.Key<Value?>("key"))
        return try #require(store.value(forKey: "key"))
    }

    private static func read<Value: Defaults.Serializable>(
        _ stored: PropertyListValue,
        as type: Value.Type = Value.self
    ) throws(Defaults.ReadError) -> Value? {
        try Defaults(InMemoryStore(["key": stored])).storedValue(for: Defaults.Key<Value?>("key")) ?? nil
    }

    @Test func `an object is stored as an archive, as Defaults stores it`() throws {
        let stored = try Self.stored(Self.track)
        let archive = try #require(stored.dataValue)
        #expect(archive.starts(with: Data("bplist00".utf8)))
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Track.self, from: archive) == Self.track)
        #expect(try Self.read(stored) == Self.track)
    }

    @Test func `what NSKeyedArchiver made is read`() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: Self.track, requiringSecureCoding: true)
        #expect(try Self.read(.data(archive)) == Self.track)
    }

    @Test func `collections and optionals of objects are stored element by element`() throws {
        let stored = try Self.stored([Self.track, Track(title: "e", rating: 0)])
        #expect(stored.arrayValue?.map(\.kind) == [.data, .data])
        #expect(try Self.read(stored) == [Self.track, Track(title: "e", rating: 0)])
        let store = InMemoryStore()
        let artists = Defaults.Key<[String: Artist]>("artists", default: [:])
        Defaults(store)[artists] = ["x": Artist(name: "y")]
        #expect(Defaults(store)[artists] == ["x": Artist(name: "y")])
        let optional = Defaults.Key<Artist?>("artist")
        Defaults(store)[optional] = Artist(name: "z")
        #expect(Defaults(store)[optional] == Artist(name: "z"))
        Defaults(store)[optional] = nil
        #expect(store.value(forKey: "artist") == nil)
    }

    @Test func `a class that is Codable as well is stored as JSON text`() throws {
        #expect(try Self.stored(Station(name: "a")) == #"{"name":"a"}"#)
        #expect(try Self.read(#"{"name":"a"}"#) == Station(name: "a"))
    }

    @Test func `a class that prefers secure coding is stored as an archive`() throws {
        let stored = try Self.stored(Channel(number: 7))
        #expect(stored.kind == .data)
        #expect(try Self.read(stored) == Channel(number: 7))
    }

    @Test func `a class that does not support secure coding is an error`() throws {
        let key = Defaults.Key<Unsafe?>("key")
        #expect(throws: Defaults.WriteError.self) { try Defaults(InMemoryStore()).set(Unsafe(), for: key) }
        let archive = try Self.stored(Channel(number: 1))
        #expect(throws: Defaults.ReadError.self) { try Self.read(archive, as: Unsafe.self) }
    }

    #if !canImport(Darwin)
    /// Swift-corelibs-foundation ends the program where an archive would need the name of such a class.
    @Test func `a private class or one inside of another type is an error`() throws {
        try Self.expectRefusal(of: Hidden())
        try Self.expectRefusal(of: Catalog.Entry())
        try Self.expectRefusal(of: Generic<Int>())
    }

    @Test func `an object that has one of such a class, or one without secure coding, in it is an error`() throws {
        for content in [Hidden(), Catalog.Entry(), NSArray(array: [Hidden()]), Unsafe(), Envelope(Hidden())] {
            try Self.expectRefusal(of: Envelope(content))
        }
        #expect(try Self.stored(Envelope(Artist(name: "a"))).kind == .data)
    }

    @Test func `an archive of another class is an error for such a class`() throws {
        let archive = try Self.stored(Self.track)
        #expect(throws: Defaults.ReadError.self) { try Self.read(archive, as: Hidden.self) }
        #expect(throws: Defaults.ReadError.self) { try Self.read(archive, as: Catalog.Entry.self) }
    }

    /// Every way to write the object is an error or reports one, and stores nothing.
    private static func expectRefusal<Value: NSObject & NSSecureCoding & Defaults.Serializable>(
        of object: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = InMemoryStore()
        let key = Defaults.Key<Value?>("key")
        let error = #expect(throws: Defaults.WriteError.self, sourceLocation: sourceLocation) {
            try Defaults(store).set(object, for: key)
        }
        let text = error?.description ?? ""
        #expect(text.contains("top level") || text.contains("secure coding"), sourceLocation: sourceLocation)
        let problems = Recorder<Defaults.Problem>()
        Defaults.withProblemHandler({ problems($0) }) {
            Defaults(store)[key] = object
            Defaults(store)[Defaults.Key<[Value]>("list", default: [])] = [object]
        }
        #expect(problems.count == 2, sourceLocation: sourceLocation)
        #expect(store.snapshot().isEmpty, sourceLocation: sourceLocation)
    }
    #endif

    @Test(
        arguments: [
            "text", 1, true, [], .data(Data()), .data(Data("bplist00".utf8)), .data(Data(repeating: 0xFF, count: 100)),
            .data(Data("<plist version=\"1.0\"><dict/></plist>".utf8)), .data(Data("(".utf8)), .data(Data("{}".utf8)),
        ] as [PropertyListValue]
    )
    func `data that is not an archive is an error`(_ stored: PropertyListValue) {
        #expect(throws: Defaults.ReadError.self) { try Self.read(stored, as: Track.self) }
    }

    @Test func `an archive of another class is an error that names the class`() throws {
        let archive = try Self.stored(Artist(name: "secret"))
        let error = #expect(throws: Defaults.ReadError.self) { try Self.read(archive, as: Channel.self) }
        let text = error?.description ?? ""
        #expect(text.contains("Channel") && !text.contains("secret"), "\(text)")
    }

    /// Secure coding is about this: what is inside is of another class than the one that is asked for.
    @Test func `a nested object of another class is an error or is left out`() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: Imposter(), requiringSecureCoding: true)
        let disguised = Self.replacing(
            NSStringFromClass(Imposter.self),
            by: NSStringFromClass(Disguise.self),
            in: archive
        )
        let read = try? Self.read(.data(disguised), as: Disguise.self)
        #expect(read?.artist == nil)
    }

    private static func replacing(_ name: String, by other: String, in archive: Data) -> Data {
        var archive = archive
        while let range = archive.range(of: Data(name.utf8)) {
            archive.replaceSubrange(range, with: Data(other.utf8))
        }
        return archive
    }

    @Test func `an object that contains itself is an error`() throws {
        // Each box refers to the next one by its index; the reference of the last one is bent back to the first.
        let archive = try #require(try Self.stored(Box.nested(3)).dataValue)
        var errors = 0
        for index in archive.indices where archive[index] == 0x80 {
            for reference in UInt8(0)..<8 {
                var bent = archive
                bent[index + 1] = reference
                do {
                    _ = try Self.read(.data(bent), as: Box.self)
                } catch {
                    errors += 1
                }
            }
        }
        #expect(errors > 0)
    }

    @Test(arguments: [100, 128]) func `objects in one another are read`(_ levels: Int) throws {
        var box = try #require(try Self.read(try Self.stored(Box.nested(levels)), as: Box.self))
        var count = 1
        while let inner = box.inner {
            box = inner
            count += 1
        }
        #expect(count == levels)
    }

    #if !canImport(Darwin)
    @Test func `too many objects in one another are an error`() throws {
        #expect(throws: Defaults.WriteError.self) { try Self.stored(Box.nested(1000)) }
        let archive = try NSKeyedArchiver.archivedData(withRootObject: Box.nested(1000), requiringSecureCoding: true)
        #expect(throws: Defaults.ReadError.self) { try Self.read(.data(archive), as: Box.self) }
    }
    #endif

    private static func read(damaged archive: Data) -> Track? {
        var context = Defaults.DecodingContext(isStrict: true)
        do {
            return try Track.bridge.decode(.data(archive), in: &context)
        } catch {
            // Any error will do, and so will an object; the program has to go on.
            return nil
        }
    }

    @Test func `an archive that ends early is an error`() throws {
        let archive = try #require(try Self.stored(Self.track).dataValue)
        for end in archive.indices {
            #expect(Self.read(damaged: archive.prefix(upTo: end)) == nil, "\(end) bytes")
        }
    }

    /// Each archive with one bit changed is read as some object or is an error.
    @Test(arguments: 0..<8)
    func `an archive with one bit changed ends no program`(_ bit: Int) throws {
        let archive = try #require(try Self.stored(Self.track).dataValue)
        var errors = 0
        for index in archive.indices {
            var damaged = archive
            damaged[index] ^= 1 << UInt8(bit)
            if Self.read(damaged: damaged) == nil { errors += 1 }
        }
        #expect(errors > 0)
    }

    /// Archives with several bytes replaced, some of them by bytes from elsewhere in the archive.
    @Test(.seeded) func `an archive with several bytes changed ends no program`() throws {
        let archive = try #require(try Self.stored(Self.track).dataValue)
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        var errors = 0
        for _ in 0..<TestLevel.current.pick(1_000, thorough: 4_000) {
            var damaged = archive
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[index] =
                    Bool.random(using: &generator)
                    ? .random(in: 0 ... .max, using: &generator)
                    : archive[Int.random(in: 0..<archive.count, using: &generator)]
            }
            if Self.read(damaged: damaged) == nil { errors += 1 }
        }
        #expect(errors > 0)
    }
}

/// A class that no other file knows.
private final class Hidden: Blank, Defaults.Serializable {}

/// A class whose name has the names of other types in it.
private final class Generic<Parameter>: Blank, Defaults.Serializable {}
