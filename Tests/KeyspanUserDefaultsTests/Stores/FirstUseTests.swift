#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanTestSupport
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
        let values = Recorder<Int>()
        Defaults.onProblem { _ in values(Defaults(store())[count]) }
        if self == .registeredDefaults {
            // Not by the list of shared stores.
            #expect(Defaults(try UserDefaultsStore(suiteName: "\(Self.suite).own"))[count] == 7)
        }
        #expect(Defaults(store())[count] == 7)
        #expect(Set(values.values) == [7])
    }
}

/// Opening a store reports to handlers, which are code of the program.
@Suite
struct FirstUseTests {
    @Test(arguments: FirstUse.allCases)
    fileprivate func `the first use of UserDefaults as a store ends if a handler of problems uses the store`(
        _ use: FirstUse
    ) async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [use = use as FirstUse, path = folder.path as String] in
            // A first use that waits for itself ends the process with a signal.
            alarm(60)
            setenv("XDG_CONFIG_HOME", path, 1)
            try use.run(in: path)
        }
    }
}
#endif
