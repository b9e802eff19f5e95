import Foundation
import Keyspan
import KeyspanUserDefaults

/// A store that a program can have in the place of `UserDefaults`.
enum EveryStore: String, CaseIterable, CustomStringConvertible {
    case memory = "InMemoryStore"
    case layers = "LayeredStore"
    case json = "JSONFileStore"
    case binary = "PropertyListFileStore, binary"
    case xml = "PropertyListFileStore, XML"
    case userDefaults = "UserDefaultsStore"

    var description: String { rawValue }

    /// Whether it keeps what is written to it.
    var isDurable: Bool { self != .memory && self != .layers }

    /// Makes a store of that many keys, which is saved and folded while it is measured, as in a program.
    func makeStore(count: Int, in folder: TemporaryFolder) throws -> any PropertyListStore {
        guard !isDurable else { return try open(makeFile(count: count, in: folder)) }
        let memory = InMemoryStore(PropertyListTable(Contents.values(count: count)))
        if self == .memory { return memory }
        return LayeredStore([
            .init("arguments", LaunchArgumentsStore(["benchmark", "--port=8080"])),
            .init("environment", EnvironmentStore(prefix: "BENCHMARK_", environment: ["BENCHMARK_PORT": "8080"])),
            .init("memory", memory, isWritable: true),
            .init("registered", RegistrationDomain()),
        ])
    }

    /// Makes what a store of that many keys leaves behind.
    ///
    /// - Returns: What ``open(_:)`` takes: a path, or the name of a suite.
    func makeFile(count: Int, in folder: TemporaryFolder) throws -> String {
        let name = self == .userDefaults ? PlainDefaults.makeName() : try folder.newFile()
        // Released at once, which brings everything into the file.
        try open(name).apply(Contents.batch(count: count))
        return name
    }

    /// Opens what ``makeFile(count:in:)`` made.
    func open(_ name: String) throws -> any PropertyListStore {
        switch self {
        case .memory, .layers: throw BenchmarkError("\(self) is not opened")
        case .json: try JSONFileStore(path: name)
        case .binary: try PropertyListFileStore(path: name, format: .binary)
        case .xml: try PropertyListFileStore(path: name, format: .xml)
        case .userDefaults: try UserDefaultsStore(suiteName: name)
        }
    }
}
