#if os(Linux)
import Foundation
import KeyspanTesting
import Testing

@testable import Keyspan

extension Defaults.Keys {
    fileprivate static let small = Key<Bool>("small", default: true)
    fileprivate static let size = Key<Int?>("size")
}

/// A property whose default reads another key.
private struct Cache {
    @Default("size") var size = Defaults[.small] ? 10 : 100
}

/// A property whose default reads another property.
private struct Window {
    private static let isSmall = Default(.small)
    @Default("size") var size = Self.isSmall.wrappedValue ? 10 : 100
}

/// The first use of a program's standard store, in a process of its own.
private enum FirstUse: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case defaultReadsKey, defaultReadsProperty, propertyIsRead, snapshotIsTaken
    case defaultRegistersAnother, defaultWrites, defaultChoosesStore
    case defaultWaitsForThread, threadsRace
    case storeIsChosen, cloudKeyInOperation, previewIsShown
    case handlerReadsKey, handlerReadsProperty, handlerIsInstalledByDefault, handlerOfOperation

    var testDescription: String { rawValue }

    /// Whether the file of the store cannot be used.
    var hasUnusableFile: Bool { rawValue.hasPrefix("handler") }

    func run() throws {
        let values = Locked<[Int]>([])
        switch self {
        case .defaultReadsKey:
            let cache = Cache()
            #expect(Defaults[.size] == 10)
            #expect(cache.size == 10)
        case .defaultReadsProperty:
            let window = Window()
            #expect(Defaults[.small])
            #expect(Defaults[.size] == 10)
            #expect(window.size == 10)
        case .propertyIsRead:
            #expect(Window().size == 10)
            #expect(Cache().size == 10)
        case .snapshotIsTaken:
            let cache = Cache()
            #expect(Defaults.standard.snapshot().table == ["size": 10])
            #expect(cache.size == 10)
        case .defaultRegistersAnother:
            struct Outer {
                static func count() -> Int { Cache().size + 1 }
                @Default("outer") var outer = Self.count()
            }
            let outer = Outer()
            #expect(Defaults[.size] == 10)
            #expect(outer.outer == 11)
            #expect(Defaults[Defaults.Key<Int?>("outer")] == 11)
        case .defaultWrites:
            struct Writer {
                static func write() -> Int {
                    Defaults[.small] = false
                    return 1
                }
                @Default("writer") var writer = Self.write()
            }
            let writer = Writer()
            #expect(Defaults[Defaults.Key<Int?>("writer")] == 1)
            #expect(!Defaults[.small])
            #expect(writer.writer == 1)
        case .defaultChoosesStore:
            struct Chooser {
                static func choose() -> Bool {
                    do throws(Defaults.BootstrapError) {
                        try Defaults.bootstrap(InMemoryStore())
                        return false
                    } catch {
                        return error == .alreadyInUse
                    }
                }
                @Default("isRefused") var isRefused = Self.choose()
            }
            let chooser = Chooser()
            #expect(Defaults[Defaults.Key<Bool?>("isRefused")] == true)
            #expect(chooser.isRefused)
        case .defaultWaitsForThread:
            struct Waiter {
                static func wait() -> Int {
                    let size = Locked(0)
                    TestThread { size.withLock { $0 = Defaults[.small] ? 10 : 100 } }.join()
                    return size.withLock(\.self)
                }
                @Default("size") var size = Self.wait()
            }
            let waiter = Waiter()
            #expect(Defaults[.size] == 10)
            #expect(waiter.size == 10)
        case .threadsRace:
            let cache = Cache()
            let stores = Locked<[ObjectIdentifier]>([])
            let threads = (0..<8).map { _ in
                TestThread {
                    let store = ObjectIdentifier(Defaults.standard.store)
                    stores.withLock { $0.append(store) }
                }
            }
            threads.forEach { $0.join() }
            #expect(stores.withLock { Set($0).count } == 1)
            #expect(Defaults[.size] == 10)
            #expect(throws: Defaults.BootstrapError.alreadyInUse) { try Defaults.bootstrap(InMemoryStore()) }
            #expect(cache.size == 10)
        case .storeIsChosen:
            let cache = Cache()
            let store = LayeredStore(registeringBelow: InMemoryStore(["small": false]))
            try Defaults.bootstrap(store)
            #expect(Defaults[.size] == 100)
            #expect(cache.size == 100)
            #expect(Defaults.standard.store === store)
        case .cloudKeyInOperation:
            let cloud = InMemoryStore()
            try Defaults.iCloud.bootstrap(cloud)
            try Defaults.bootstrap(InMemoryStore(["shared": 1]))
            Defaults.withStandardStore(InMemoryStore(["shared": 9])) {
                #expect(Defaults[Defaults.Key<Int>("shared", default: 0, iCloud: true)] == 9)
            }
            #expect(cloud.snapshot().isEmpty)
            #expect(Defaults[.small])
            #expect(cloud.value(forKey: "shared")?[1] == 1)
        case .previewIsShown:
            // As a view: its body runs later, on another thread than the one that made it, and makes other views.
            struct Page {
                let cache = Cache()
                var body: [Int] { [cache.size, Cache().size, Defaults[.size] ?? 0] }
            }
            let memory = InMemoryStore(["small": false])
            let page = Defaults.preview(on: LayeredStore(registeringBelow: memory)) { Page() }
            let bodies = Locked<[[Int]]>([])
            func read() -> [[Int]] {
                TestThread { bodies.withLock { $0.append(page.body) } }.join()
                return bodies.withLock(\.self)
            }
            #expect(read().last == [100, 100, 100])
            page.cache.size = 5
            #expect(memory.snapshot() == ["small": false, "size": 5])
            let other = Defaults.preview(on: InMemoryStore(["size": 6])) { Page() }
            #expect(other.body == [6, 6, 6])
            Defaults.withStandardStore(InMemoryStore(["size": 7])) { #expect(other.body == [7, 7, 7]) }
            // The store of the process was not used.
            try Defaults.bootstrap(InMemoryStore(["size": 8]))
            #expect(read().last == [6, 6, 6])
        case .handlerReadsKey:
            Defaults.onProblem { _ in
                let value = Defaults[.size] ?? 1
                values.withLock { $0.append(value) }
            }
            #expect(Defaults[.small])
            #expect(values.withLock(\.self) == [1])
        case .handlerReadsProperty:
            let cache = Cache()
            Defaults.onProblem { _ in
                let value = cache.size
                values.withLock { $0.append(value) }
            }
            #expect(Defaults[.small])
            #expect(values.withLock(\.self) == [10])
        case .handlerIsInstalledByDefault:
            // Problems of opening the store are reported before the default is evaluated.
            struct Installer {
                static let count = Locked(0)
                static func install() -> Int {
                    Defaults.onProblem { _ in count.withLock { $0 += 1 } }
                    return 1
                }
                @Default("installer") var installer = Self.install()
            }
            let installer = Installer()
            Defaults.onProblem { _ in values.withLock { $0.append(2) } }
            #expect(Defaults[Defaults.Key<Int?>("installer")] == 1)
            #expect(values.withLock(\.self) == [2])
            #expect(Installer.count.withLock(\.self) == 0)
            #expect(installer.installer == 1)
        case .handlerOfOperation:
            Defaults.onProblem { _ in values.withLock { $0.append(2) } }
            Defaults.withProblemHandler { _ in
                let value = Defaults[.size] ?? 1
                values.withLock { $0.append(value) }
            } operation: {
                #expect(Defaults[.small])
            }
            #expect(values.withLock(\.self) == [1])
        }
    }
}

/// The first use of the standard store calls code of the program: defaults to register, and handlers of problems.
@Suite struct FirstUseTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "keyspan-\(UUID().uuidString)").path

    @Test(arguments: FirstUse.allCases)
    fileprivate func `ends, whatever the program's code does meanwhile`(_ use: FirstUse) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .success) { [use = use as FirstUse, folder = folder as String] in
            // A first use that waits for itself ends the process with a signal.
            alarm(60)
            setenv("XDG_CONFIG_HOME", folder, 1)
            if use.hasUnusableFile {
                let path = try #require(
                    PlatformStore.path(
                        program: CommandLine.arguments.first,
                        environment: ProcessInfo.processInfo.environment
                    )
                )
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try use.run()
        }
    }
}
#endif
