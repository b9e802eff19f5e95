import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

private struct Server: Codable, Equatable, Defaults.Serializable {
    var host: String
    var port: Int
}

/// Processes with and without keys, and with either form of values, on one file with groups and comments.
@Suite(.heavy, .seeded) struct SharedFormModelTests {
    private static let original = """
        {
          // top
          "ui": {
            // inner
            "theme": "light",
            "servers": [{"host": "a", "port": 1}], /* list */
          },
          "tls": {"port": 443}, // tls
        }

        """
    private static let comments = ["// top", "// inner", "/* list */", "// tls"]
    /// The keys that each process writes, in groups that all of them share.
    private static let keys = (0..<3).map { process in
        ["ui.server\(process)", "tls.server\(process)", "server\(process)", "net.far.server\(process)"]
    }
    private static let allKeys = keys.flatMap { $0 } + ["ui.theme", "ui.servers", "tls.port"]

    private let folder = TemporaryFolder.forTest

    @Test func `no acknowledged write is lost, and each is read by all`() throws {
        let seeds = SeededGenerator.seeds(TestLevel.current.pick(12, thorough: 200, exhaustive: 2_000))
        for (number, seed) in seeds.enumerated() { try run(number, seed: seed) }
    }

    private func run(_ number: Int, seed: UInt64) throws {
        for name in try folder.names { try folder.remove(name) }
        var random = SeededGenerator(seed: seed)
        let path = folder.path("settings.jsonc")
        try folder.overwrite("settings.jsonc", Self.original)
        func open(_ keys: [String], _ form: Defaults.ValueForm) throws -> ProcessDouble {
            var options = number.isMultiple(of: 3) ? FileStoreOptions.oneFile : FileStoreOptions()
            options.valueForm = form
            return try ProcessDouble(path: path, keys: keys, options: options)
        }
        let hasOneWithoutKeys = !number.isMultiple(of: 2)
        let processes = [
            try open(Self.allKeys, .readable),
            try open(hasOneWithoutKeys ? [] : Self.allKeys, .jsonText),
            try open(Self.allKeys, number.isMultiple(of: 5) ? .readable : .jsonText),
        ]
        var expected: [String: Server?] = [:]
        var events: [String] = []
        for step in 0..<40 {
            let index = Int.random(in: 0..<3, using: &random)
            let process = processes[index]
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                // The name with dots of a process without keys would stand beside the group.
                let names = hasOneWithoutKeys && index == 1 ? ["server1"] : Self.keys[index]
                let key = names[Int.random(in: 0..<names.count, using: &random)]
                let isRemoval = expected[key] != nil && Bool.random(using: &random)
                let value = isRemoval ? nil : Server(host: "h\(step)", port: step)
                try Defaults(process.store).set(value, for: Defaults.Key<Server?>(key))
                if Bool.random(using: &random) { try process.store.synchronize() }
                expected[key] = .some(value)
                events.append("\(index) sets \(key) to \(value?.port ?? -1)")
            case 4: process.look()
            case 5: process.passTime()
            case 6: process.passMoment()
            default: try process.store.synchronize()
            }
        }
        for process in processes { try process.store.synchronize() }
        for _ in 1...3 {
            for process in processes {
                process.look()
                process.passTime()
            }
        }
        let text = String(decoding: try folder.bytes(of: "settings.jsonc"), as: UTF8.self)
        let fresh = try open(Self.allKeys, .readable)
        for process in [fresh] + processes where !(hasOneWithoutKeys && process === processes[1]) {
            for (key, value) in expected {
                let found = try Defaults(process.store).value(for: Defaults.Key<Server?>(key))
                try #require(found == value, "seed \(seed), \(key): \(events) \(text)")
            }
        }
        try #require(Self.comments.allSatisfy(text.contains), "seed \(seed): \(events) \(text)")
        try #require(processes.allSatisfy { $0.failures.isEmpty && $0.notices.isEmpty }, "seed \(seed): \(events)")
        // A write of something else changes the form of nothing.
        var after = fresh.store.snapshot()
        try processes[2].save(["tls.port": 1])
        processes[0].look()
        after["tls.port"] = 1
        try #require(processes[0].store.snapshot() == after, "seed \(seed): \(events)")
    }
}
