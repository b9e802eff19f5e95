#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// The first use of `UserDefaults` as a store, in a process of its own.
private enum FirstUse: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case standard, sharedSuite, registeredDefaults, registeredDefaultsOfStandard

    var testDescription: String { rawValue }

    private static let suite = "org.keyspan.first-use"

    /// Something that a store cannot hold, and that `UserDefaults` takes.
    private final class Foreign: NSObject {}

    func run(in folder: String) throws {
        let count = Defaults.Key<Int>("count", default: 7)
        let store: @Sendable () -> any PropertyListStore
        switch self {
        case .standard, .registeredDefaultsOfStandard: store = { UserDefaultsStore.standard }
        case .sharedSuite: store = { UserDefaultsStore.of(UserDefaults(suiteName: Self.suite) ?? .standard) }
        case .registeredDefaults: store = { UserDefaultsStore.of(UserDefaults(suiteName: Self.suite) ?? .standard) }
        }
        switch self {
        case .standard, .sharedSuite:
            // No file can be where a folder is.
            let names = [ProcessInfo.processInfo.processName, Self.suite]
            for name in names {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name).plist",
                    withIntermediateDirectories: true
                )
            }
        case .registeredDefaults, .registeredDefaultsOfStandard:
            UserDefaults.standard.register(defaults: ["foreign": Foreign()])
        }
        let values = Locked<[Int]>([])
        Defaults.onProblem { _ in
            let value = Defaults(store())[count]
            values.withLock { $0.append(value) }
        }
        if self == .registeredDefaults {
            // Not by the list of shared stores.
            #expect(Defaults(try UserDefaultsStore(suiteName: "\(Self.suite).own"))[count] == 7)
        }
        #expect(Defaults(store())[count] == 7)
        #expect(Set(values.withLock(\.self)) == [7])
    }
}

/// Opening a store reports to handlers, which are code of the program.
@Suite
struct FirstUseTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "keyspan-\(UUID().uuidString)").path

    @Test(arguments: FirstUse.allCases)
    fileprivate func `the first use of UserDefaults as a store ends if a handler of problems uses the store`(
        _ use: FirstUse
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .success) { [use = use as FirstUse, folder = folder as String] in
            // A first use that waits for itself ends the process with a signal.
            alarm(60)
            setenv("XDG_CONFIG_HOME", folder, 1)
            try use.run(in: folder)
        }
    }
}
#endif
