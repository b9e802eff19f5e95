@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTOML
import KeyspanTestSupport
import Testing

#if YAML
import KeyspanYAML
#endif

/// When a value that its key cannot use takes effect: each cell of the table in the article on following changes.
@Suite struct UnusableValueTableTests {
    private static let port = Defaults.Key<Int>("port", default: 8080).validated(by: .range(1...65_535))
    private static let motto = Defaults.Key<String>("motto", default: "-")

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Refusal: Error, CustomStringConvertible {
        let description = "port must not be 666"
    }

    enum Source: CaseIterable {
        case memory, json, jsonWithoutKeys, jsonAdmitting, jsonRefusing, propertyList, toml, tomlWithoutKeys, variables
        case variablesWithoutKeys, secrets, secretsWithoutKeys, environment, arguments
        #if YAML
        case yaml, yamlWithoutKeys
        #endif
    }

    enum Flaw: String, CaseIterable {
        case type = "one"
        case rule = "70000"
        case hook = "666"
    }

    enum Moment: CaseIterable { case opening, edit, ownWrite }

    /// The value that the key reads, or the outcome of the operation.
    enum Outcome { case `default`, valueBefore, refused, written }

    struct Cell: CustomTestStringConvertible {
        let source: Source
        let flaw: Flaw
        let moment: Moment
        let outcome: Outcome
        var testDescription: String { "\(source), \(flaw), \(moment): \(outcome)" }
    }

    static let cells = Source.allCases.flatMap { source in
        Flaw.allCases.flatMap { flaw in
            Moment.allCases.compactMap { moment in
                outcome(of: flaw, in: source, at: moment).map {
                    Cell(source: source, flaw: flaw, moment: moment, outcome: $0)
                }
            }
        }
    }

    /// The cell of the table; `nil` if there is none.
    private static func outcome(of flaw: Flaw, in source: Source, at moment: Moment) -> Outcome? {
        switch (moment, flaw) {
        case (.ownWrite, .type): nil
        case (.ownWrite, .rule): source.isWritable ? .refused : nil
        case (.ownWrite, .hook): source.isWritable && source.hasHook ? .written : nil
        case (_, .hook): source.hasHook ? .refused : nil
        case (_, _) where source == .jsonRefusing: .refused
        case (.opening, _): .default
        case (.edit, _): !source.changes ? nil : source.knowsKeys && source != .jsonAdmitting ? .valueBefore : .default
        }
    }

    @Test(arguments: cells)
    func `the key never has a value that it cannot use`(cell: Cell) throws {
        let place = try Place(of: cell.source, in: folder)
        switch cell.moment {
        case .opening:
            try place.write(port: cell.flaw.rawValue, motto: "a")
            // Also when the program starts again.
            for _ in 1...2 {
                if cell.outcome == .refused {
                    let error = #expect(throws: FileStoreError.self) { try open(place) }
                    #expect(error?.step == .validate && error?.description.contains("port") == true)
                } else {
                    try expectDefault(in: open(place), at: place)
                }
            }
        case .edit:
            try place.write(port: "1", motto: "a")
            let store = try open(place)
            #expect(Defaults(store)[Self.port] == 1)
            try place.write(port: cell.flaw.rawValue, motto: "b")
            if cell.outcome == .default {
                try place.reload(store)
                try expectDefault(in: store, at: place)
            } else {
                let error = #expect(throws: StoreError.self) { try place.reload(store) }
                let text = error?.description ?? ""
                #expect(text.contains("port") && text.contains("correct"), "\(text)")
                let problems = try reportedProblems {
                    let strict = try Defaults(store).value(for: Self.port)
                    #expect(Defaults(store)[Self.port] == 1 && strict == 1)
                }
                #expect(problems == [])
            }
            #expect(Defaults(store)[Self.motto] == (cell.outcome == .refused ? "a" : "b"))
            try place.write(port: "2", motto: "c")
            try place.reload(store)
            #expect(Defaults(store)[Self.port] == 2 && Defaults(store)[Self.motto] == "c")
        case .ownWrite:
            try place.write(port: "1", motto: "a")
            let defaults = Defaults(try open(place))
            let value = try #require(Int(cell.flaw.rawValue))
            if cell.outcome == .refused {
                #expect(throws: Defaults.WriteError.self) { try defaults.set(value, for: Self.port) }
                #expect(throws: Defaults.WriteError.self) { try defaults.commit { $0[Self.port] = value } }
                #expect(reportedProblems { defaults[Self.port] = value }.count == 1)
                #expect(defaults[Self.port] == 1)
            } else {
                try defaults.set(value, for: Self.port)
                #expect(defaults[Self.port] == value)
            }
        }
    }

    /// Expects that each way to read gives the default or the error, and that one problem is reported.
    private func expectDefault(in store: any PropertyListStore, at place: Place) throws {
        // The caches of the static key have what other cells read.
        let port = Defaults.Key<Int>("port", default: 8080).validated(by: .range(1...65_535))
        let defaults = Defaults(store)
        let problems = reportedProblems {
            for _ in 1...2 {
                #expect(defaults[port] == 8080 && defaults.snapshot()[port] == 8080 && store[port] == 8080)
                #expect(throws: Defaults.ReadError.self) { try defaults.value(for: port) }
                #expect(throws: Defaults.ReadError.self) { try defaults.snapshot().value(for: port) }
                #expect(throws: Defaults.ReadError.self) { try defaults[port.throwing()] }
                defaults.update { #expect($0[port] == 8080) }
            }
        }
        #expect(problems.count == 1, "\(problems)")
        for words in ["key \"port\"", place.name, "remove it to return to the default"] {
            #expect(problems.first?.contains(words) == true, "\(problems)")
        }
        #expect(throws: Defaults.ValidationError.self) { try defaults.validate([port]) }
    }

    private func open(_ place: Place) throws -> any PropertyListStore {
        try place.open([Self.port, Self.motto]) { if $0["port"] == 666 { throw Refusal() } }
    }

    /// The place of the values.
    private final class Place {
        private let source: Source
        private let folder: TemporaryFolder
        private var memory = InMemoryStore(name: "memory")
        private var given = (port: "", motto: "")

        init(of source: Source, in folder: TemporaryFolder) throws {
            (self.source, self.folder) = (source, folder)
            if source.base == .secrets { try folder.makeFolder("secrets") }
        }

        /// The place in the text of a problem.
        var name: String {
            switch source.base {
            case .memory: "memory"
            case .environment: "environment variable PORT"
            case .arguments: "arguments --port"
            case .secrets: folder.path("secrets/port")
            default: folder.path("settings")
            }
        }

        func write(port: String, motto: String) throws {
            given = (port, motto)
            let number = Int(port)
            let literal = number == nil ? "\"\(port)\"" : port
            switch source.base {
            case .memory:
                var batch = PropertyListBatch()
                batch.set(number.map { .integer(PropertyListInteger($0)) } ?? .string(port), forKey: "port")
                batch.set(.string(motto), forKey: "motto")
                try memory.apply(batch)
            case .json: try folder.replace("settings", #"{"port": \#(literal), "motto": "\#(motto)"}"#)
            case .propertyList:
                let kind = number == nil ? "string" : "integer"
                let members = "<key>port</key><\(kind)>\(port)</\(kind)><key>motto</key><string>\(motto)</string>"
                try folder.replace("settings", "<plist version=\"1.0\"><dict>\(members)</dict></plist>")
            case .toml: try folder.replace("settings", "port = \(literal)\nmotto = \"\(motto)\"\n")
            case .variables: try folder.replace("settings", "PORT=\(port)\nMOTTO=\(motto)\n")
            case .secrets:
                try folder.replace("secrets/port", port)
                try folder.replace("secrets/motto", motto)
            case .environment, .arguments: break
            default: try folder.replace("settings", "port: \(literal)\nmotto: \"\(motto)\"\n")
            }
        }

        func open(
            _ keys: [Defaults.AnyKey],
            validate: @escaping @Sendable (PropertyListTable) throws -> Void
        ) throws -> any PropertyListStore {
            let keys = source.knowsKeys ? keys : []
            let path = folder.path("settings")
            var options = FileStoreOptions(journal: .none, isWatching: false)
            switch source {
            case .jsonAdmitting: options.unusableValues = .areAdmitted
            case .jsonRefusing: options.unusableValues = .areRefused
            default: break
            }
            switch source.base {
            case .memory:
                memory = InMemoryStore(memory.snapshot(), name: "memory")
                return memory
            case .json: return try JSONFileStore(path: path, keys: keys, options: options, validate: validate)
            case .propertyList:
                return try PropertyListFileStore(
                    path: path,
                    format: .xml,
                    keys: keys,
                    options: options,
                    validate: validate
                )
            case .toml: return try TOMLFileStore(path: path, keys: keys, isWatching: false, validate: validate)
            case .variables: return try DotEnvStore(path: path, keys: keys)
            case .secrets: return try SecretFolderStore(path: folder.path("secrets"), keys: keys, isWatching: false)
            case .environment:
                let variables = ["PORT": given.port, "MOTTO": given.motto]
                return EnvironmentStore(prefix: "", keys: keys, environment: variables)
            case .arguments:
                return LaunchArgumentsStore(["--port=\(given.port)", "--motto=\(given.motto)"], keys: keys)
            default:
                #if YAML
                return try YAMLFileStore(path: path, keys: keys, isWatching: false, validate: validate)
                #else
                return memory
                #endif
            }
        }

        func reload(_ store: any PropertyListStore) throws { try (store as? any ReloadableStore)?.reload() }
    }
}

extension UnusableValueTableTests.Source {
    /// The same source opened with keys and the default options.
    fileprivate var base: Self {
        switch self {
        case .jsonWithoutKeys, .jsonAdmitting, .jsonRefusing: .json
        case .tomlWithoutKeys: .toml
        case .variablesWithoutKeys: .variables
        case .secretsWithoutKeys: .secrets
        #if YAML
        case .yamlWithoutKeys: .yaml
        #endif
        default: self
        }
    }

    fileprivate var knowsKeys: Bool {
        switch self {
        case .memory: false
        case .jsonAdmitting, .jsonRefusing: true
        default: base == self
        }
    }

    fileprivate var isWritable: Bool { [.memory, .json, .propertyList].contains(base) }

    /// Whether the values change while the store is open.
    fileprivate var changes: Bool { ![.environment, .arguments].contains(base) }

    /// Whether the store has a `validate` hook.
    fileprivate var hasHook: Bool { ![.memory, .variables, .secrets, .environment, .arguments].contains(base) }
}
