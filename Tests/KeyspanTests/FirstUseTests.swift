#if os(Linux)
import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import Keyspan

extension Defaults.Keys {
    fileprivate static let small = Key<Bool>("small", default: true)
    fileprivate static let size = Key<Int?>("size")
    fileprivate static let written = Key<Bool>("written", default: false)
}

/// A property whose default reads another key.
private struct Cache {
    @Default("size") var size = Defaults[.small] ? 10 : 100
}

/// A group that is made before the standard store is chosen.
private struct SizeKeys: KeyGroup {
    let size = Key<Int>("size", default: 1)
}

/// Properties whose defaults use the standard store.
private struct Program {
    private static let isSmall = Default(.small)

    let cache = Cache()
    /// The default reads another property.
    @Default("window") var window = Self.isSmall.wrappedValue ? 10 : 100
    /// The default makes another property, which is registered too.
    @Default("outer") var outer = Cache().size + 1
    @Default("writer") var writer = Self.write()
    @Default("isRefused") var isRefused = Self.choose()
    @Default("waiter") var waiter = Self.wait()

    private static func write() -> Int {
        Defaults[.written] = true
        return 1
    }

    private static func choose() -> Bool {
        do throws(Defaults.BootstrapError) {
            try Defaults.bootstrap(InMemoryStore())
            return false
        } catch {
            return error == .alreadyInUse
        }
    }

    private static func wait() -> Int {
        let size = Locked(0)
        TestThread { size.withLock { $0 = Defaults[.small] ? 10 : 100 } }.join()
        return size.withLock(\.self)
    }

    func verify() {
        #expect((window, outer, writer, waiter) == (10, 11, 1, 10))
        #expect(isRefused)
        #expect(cache.size == 10 && Defaults[.size] == 10)
        #expect(Defaults[Defaults.Key<Int?>("outer")] == 11)
        #expect(Defaults[.written])
    }
}

/// The first use of a program's standard store, in a process of its own.
private enum FirstUse: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case keyIsRead, propertyIsRead, snapshotIsTaken, threadsRace, propertiesAreManifold
    case storeIsChosen, previewIsShown
    case handlerOfProgram, handlerOfOperation

    var testDescription: String { rawValue }

    /// Whether the file of the store cannot be used.
    var hasUnusableFile: Bool { rawValue.hasPrefix("handler") }

    func run() throws {
        switch self {
        case .keyIsRead:
            let program = Program()
            #expect(Defaults[.size] == 10)
            program.verify()
        case .propertyIsRead: Program().verify()
        case .snapshotIsTaken:
            let program = Program()
            let table = Defaults.standard.snapshot().table
            #expect((table["size"], table["outer"], table["waiter"]) == (10, 11, 10))
            program.verify()
        case .threadsRace:
            let program = Program()
            let stores = Recorder<ObjectIdentifier>()
            let threads = (0..<8).map { _ in TestThread { stores.record(ObjectIdentifier(Defaults.standard.store)) } }
            threads.forEach { $0.join() }
            #expect(Set(stores.values).count == 1)
            program.verify()
            #expect(throws: Defaults.BootstrapError.alreadyInUse) { try Defaults.bootstrap(InMemoryStore()) }
        case .propertiesAreManifold:
            // As a structure that is made for each row of a list, where only one is kept.
            let (made, released, first) = (Recorder<Int>(), Recorder<Int>(), Cache())
            @Sendable func value(_ number: Int, of object: Releasing) -> Int {
                made(number)
                return number
            }
            func makeRow(_ number: Int) -> Default<Int> {
                let object = Releasing { released(number) }
                return Default(wrappedValue: value(number, of: object), "row")
            }
            for number in 1..<1000 { _ = makeRow(number) }
            #expect(released.count == 998)
            let last = makeRow(1000)
            #expect(released.values == Array(1..<1000) && made.count == 0)
            #expect(Defaults[Defaults.Key<Int?>("row")] == 1000)
            #expect(made.values == [1000])
            #expect(last.wrappedValue == 1000 && first.size == 10 && Defaults[.size] == 10)
            #expect(makeRow(1001).wrappedValue == 1001)
            #expect(Defaults[Defaults.Key<Int?>("row")] == 1001)
        case .storeIsChosen:
            let (cache, cloud, settings) = (Cache(), InMemoryStore(), Defaults.Group<SizeKeys>())
            try Defaults.iCloud.bootstrap(cloud)
            let store = LayeredStore(registeringBelow: InMemoryStore(["small": false, "shared": 1]))
            try Defaults.bootstrap(store)
            Defaults.withStandardStore(InMemoryStore(["shared": 9])) {
                #expect(Defaults[Defaults.Key<Int>("shared", default: 0, iCloud: true)] == 9)
            }
            #expect(cloud.snapshot().isEmpty)
            #expect(Defaults[.size] == 100 && cache.size == 100 && settings.size == 100)
            #expect(Defaults.standard.store === store)
            #expect(cloud.value(forKey: "shared")?[1] == 1)
        case .previewIsShown: try showPreview()
        case .handlerOfProgram:
            // Installs a handler, which does not receive the problems of opening the store: they are reported before.
            struct Installer {
                static let problems = Recorder<Bool>()
                static func install() -> Int {
                    Defaults.onProblem { _ in problems.record(true) }
                    return 1
                }
                @Default("installer") var installer = Self.install()
            }
            let (cache, installer, values) = (Cache(), Installer(), Recorder<Int>())
            Defaults.onProblem { _ in
                values.record(Defaults[Defaults.Key<Int?>("absent")] ?? 1)
                values.record(cache.size)
            }
            #expect(Defaults[.small])
            #expect(values.values == [1, 10])
            #expect(Defaults[Defaults.Key<Int?>("installer")] == 1 && installer.installer == 1)
            #expect(Installer.problems.count == 0)
        case .handlerOfOperation:
            let values = Recorder<Int>()
            Defaults.onProblem { _ in values.record(2) }
            Defaults.withProblemHandler {
                _ in
                values.record(Defaults[.size] ?? 1)
            } operation: {
                #expect(Defaults[.small])
            }
            #expect(values.values == [1])
        }
    }

    private func showPreview() throws {
        // As a view: its body runs later, on another thread than the one that made it, and makes other views.
        struct Page {
            static let settings = Defaults.Group<SizeKeys>()
            let cache = Cache()
            var body: [Int] { [cache.size, Cache().size, Self.settings.size] }
        }
        let memory = InMemoryStore(["small": false])
        let page = Defaults.preview(on: LayeredStore(registeringBelow: memory)) { Page() }
        let bodies = Recorder<[Int]>()
        func read() -> [Int]? {
            TestThread { bodies.record(page.body) }.join()
            return bodies.last
        }
        #expect(read() == [100, 100, 100])
        page.cache.size = 5
        #expect(memory.snapshot() == ["small": false, "size": 5])
        let other = Defaults.preview(on: InMemoryStore(["size": 6])) { Page() }
        #expect(other.body == [6, 6, 6])
        Defaults.withStandardStore(InMemoryStore(["size": 7])) { #expect(other.body == [7, 7, 7]) }
        // The store of the process was not used.
        try Defaults.bootstrap(InMemoryStore(["size": 8]))
        #expect(read() == [6, 6, 6])
    }
}

/// The first use of the standard store calls code of the program: defaults to register, and handlers of problems.
@Suite struct FirstUseTests {
    @Test(arguments: FirstUse.allCases)
    fileprivate func `ends, whatever the program's code does meanwhile`(_ use: FirstUse) async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [use = use as FirstUse, folder = folder.path as String] in
            // A first use that waits for itself ends the process with a signal.
            alarm(120)
            setenv("XDG_CONFIG_HOME", folder, 1)
            if use.hasUnusableFile {
                let path = try #require(
                    PlatformStore.path(program: CommandLine.arguments.first, environment: TestProcess.environment)
                )
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try use.run()
        }
    }
}
#endif
