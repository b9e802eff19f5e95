@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTOML
import KeyspanTestSupport
import KeyspanTesting
import Testing

#if YAML
import KeyspanYAML
#endif

/// Calls of stores from within the rules and bridges of a source that is only read, which run while it is read.
@Suite struct SourceExaminationTests {
    enum Kind: CaseIterable {
        case toml, secrets, variables
        #if YAML
        case yaml
        #endif
    }

    /// A source of one key, with a rule that runs code of a test when a new version is read.
    private final class Source: Sendable {
        private let folder: TemporaryFolder
        private let kind: Kind
        private let check = Locked<(@Sendable () -> Void)?>(nil)
        private let opened = Locked<(any ReloadableStore)?>(nil)

        init(_ kind: Kind) throws {
            (self.kind, folder) = (kind, try TemporaryFolder())
            try folder.makeFolder("secrets")
            try write(port: 1)
            try opened.withLock { $0 = try open() }
        }

        func write(port: Int) throws {
            switch kind {
            case .toml: try folder.replace("settings", "port = \(port)\n")
            case .secrets: try folder.replace("secrets/port", "\(port)")
            case .variables: try folder.replace("settings", "PORT=\(port)\n")
            #if YAML
            case .yaml: try folder.replace("settings", "port: \(port)\n")
            #endif
            }
        }

        /// The next rule that is asked runs the code.
        func whenExamined(_ body: @escaping @Sendable () -> Void) { check.withLock { $0 = body } }

        var port: Int? { opened.withLock(\.self).map { Defaults($0)[Defaults.Key<Int>("port", default: 0)] } }

        func reload() -> StoreError.Code? {
            guard let store = opened.withLock(\.self) else { return nil }
            do throws(StoreError) { try store.reload() } catch { return error.code }
            return nil
        }

        private func open() throws -> any ReloadableStore {
            let rule = Defaults.Rule<Int>("fine") { [weak self] _ in
                self?.check.withLock { $0.take() }?()
                return true
            }
            let keys = [Defaults.Key<Int>("port", default: 0).validated(by: rule)]
            let path = folder.path("settings")
            return switch kind {
            case .toml: try TOMLFileStore(path: path, keys: keys, isWatching: false)
            case .secrets: try SecretFolderStore(path: folder.path("secrets"), keys: keys, isWatching: false)
            case .variables: try DotEnvStore(path: path, keys: keys)
            #if YAML
            case .yaml: try YAMLFileStore(path: path, keys: keys, isWatching: false)
            #endif
            }
        }
    }

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `a rule may reload another source, and not its own`(_ kind: Kind, _ otherKind: Kind) throws {
        let (source, other) = (try Source(kind), try Source(otherKind))
        let codes = Recorder<StoreError.Code?>()
        source.whenExamined {
            codes(source.reload())
            codes(other.reload())
        }
        try source.write(port: 2)
        try other.write(port: 3)
        #expect(source.reload() == nil)
        #expect(codes.values == [.validating, nil])
        #expect(source.port == 2 && other.port == 3)
    }

    /// The rule runs while the source is read, and the validator while the file is locked.
    @Test(arguments: Kind.allCases)
    func `a rule that writes a file whose validator reloads the source does not wait forever`(_ kind: Kind) throws {
        let (source, folder) = (try Source(kind), try TemporaryFolder())
        let running = Locked(0)
        let codes = Recorder<StoreError.Code?>()
        let awaitBoth = { @Sendable in
            running.withLock { $0 += 1 }
            eventually("the rule and the validator run") { running.withLock { $0 == 2 } }
        }
        try folder.overwrite("file.json", #"{"limit": 80}"#)
        let isArmed = Locked(false)
        let file = try JSONFileStore(
            path: folder.path("file.json"),
            options: FileStoreOptions(isWatching: false)
        ) { _ in
            guard
                isArmed.withLock({ armed in
                    defer { armed = false }
                    return armed
                })
            else { return }
            awaitBoth()
            codes(source.reload())
        }
        source.whenExamined {
            awaitBoth()
            do throws(StoreError) {
                var batch = PropertyListBatch()
                batch.expect(nil, forKey: "own")
                batch.set(1, forKey: "own")
                try file.apply(batch)
                codes(nil)
            } catch {
                codes(error.code)
            }
        }
        try folder.replace("file.json", #"{"limit": 81}"#)
        try source.write(port: 2)
        isArmed.withLock { $0 = true }
        let threads = [
            TestThread { #expect(source.reload() == nil) },
            TestThread {
                #expect(throws: Never.self) {
                    var batch = PropertyListBatch()
                    batch.expect(81, forKey: "limit")
                    batch.set(82, forKey: "limit")
                    try file.apply(batch)
                }
            },
        ]
        for thread in threads { thread.join() }
        #expect(codes.values.count == 2 && codes.values.contains(.validating) && codes.values.contains(nil))
        #expect(file.value(forKey: "limit") == 82 && source.port == 2)
    }
}
