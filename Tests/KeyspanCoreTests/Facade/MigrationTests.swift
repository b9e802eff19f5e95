@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct MigrationTests {
    private static let runs = Defaults.Key<Int>("runs", default: 0)
    private static let volume = Defaults.Key<Double>("volume", default: 0.5)
    private static let window = Defaults.Key<Window?>("window")

    private let store = InMemoryStore(["launchCount": 3, "volume": 80, "obsolete": true], name: "the store")
    private var defaults: Defaults { Defaults(store) }

    private static let plan = Defaults.MigrationPlan(
        "app",
        Defaults.Migration(
            to: 2,
            .transform(volume, from: Defaults.Key<Int>("volume", default: 0)) { Double($0) / 100 },
            .remove("obsolete")
        ),
        Defaults.Migration(to: 1, .rename("launchCount", to: runs))
    )

    /// A plan of one step.
    private static func plan(_ step: Defaults.Migration.Step) -> Defaults.MigrationPlan {
        Defaults.MigrationPlan("app", Defaults.Migration(to: 1, step))
    }

    @Test func `all migrations are done once, in the order of their versions, in one batch`() throws {
        let expected: PropertyListTable = ["runs": 3, "volume": 0.8, "keyspan.migrations": ["app": ["version": 2]]]
        let changes = try recordedChanges(of: store) {
            for isFirst in [true, false] {
                let isMigrated = try defaults.migrate(Self.plan)
                #expect(isMigrated == isFirst)
                #expect(store.snapshot() == expected)
            }
        }
        #expect(changes.count == 1)
        #expect(defaults.keptValues().isEmpty)
    }

    @Test func `a store begins where it is, and one of a newer program is left alone`() throws {
        try store.apply(
            PropertyListBatch(.set(["app": ["version": 1], "other": ["version": 7]], key: "keyspan.migrations"))
        )
        #expect(try defaults.migrate(Self.plan))
        #expect(store.value(forKey: "launchCount") == 3)
        #expect(store.value(forKey: "volume") == 0.8)
        #expect(store.value(forKey: "keyspan.migrations") == ["app": ["version": 2], "other": ["version": 7]])
        let newer = InMemoryStore(["keyspan.migrations": ["app": ["version": 3]], "launchCount": 1])
        #expect(try !Defaults(newer).migrate(Self.plan))
        #expect(newer.value(forKey: "launchCount") == 1)
        let empty = InMemoryStore()
        #expect(try Defaults(empty).migrate(Self.plan))
        #expect(empty.snapshot() == ["keyspan.migrations": ["app": ["version": 2]]])
    }

    @Test(arguments: [0, -1, .min])
    func `a version below 1 is an error, and nothing is changed`(version: Int) {
        let before = store.snapshot()
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(to: version, .rename("launchCount", to: Self.runs)),
            Defaults.Migration(to: 1, .remove("obsolete"))
        )
        let plans = [plan, Defaults.MigrationPlan("app", Defaults.Migration(to: version))]
        for plan in plans {
            let error = #expect(throws: Defaults.MigrationError.self) { try defaults.migrate(plan) }
            #expect(error?.version == version && error?.isMigrated == false)
            #expect(error?.description.contains("the version of a migration is 1 or more") == true)
        }
        #expect(store.snapshot() == before)
    }

    @Test func `a step for an entry of the library is an error of its version`() throws {
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(to: 1, .remove("obsolete")),
            Defaults.Migration(to: 2, .remove("keyspan.kept"), .rename("launchCount", to: Self.runs))
        )
        try store.apply(PropertyListBatch(.set(["a": 1], key: "keyspan.kept")))
        let before = store.snapshot()
        let error = #expect(throws: Defaults.MigrationError.self) { try defaults.migrate(plan) }
        #expect(error?.version == 2 && (error?.cause as? StoreError)?.code == .invalidKey)
        #expect(store.snapshot() == before)
    }

    @Test func `a step that fails changes nothing, not even what the steps before it did`() throws {
        struct Refusal: Error {}
        let before = store.snapshot()
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(to: 1, .rename("launchCount", to: Self.runs)),
            Defaults.Migration(to: 2, .transform("volume") { _ in throw Refusal() })
        )
        let error = #expect(throws: Defaults.MigrationError.self) { try defaults.migrate(plan) }
        #expect(error?.version == 2)
        #expect(error?.cause is Refusal)
        #expect(
            error?.description.hasPrefix("migration plan \"app\", version 2, of the store: nothing was changed") == true
        )
        #expect(store.snapshot() == before)
    }

    @Test func `a new value that its key refuses fails the migration`() throws {
        let key = Self.volume.validated(by: .range(0...0.5))
        let plan = Self.plan(.transform(key, from: Defaults.Key<Int>("volume", default: 0)) { Double($0) })
        let error = #expect(throws: Defaults.MigrationError.self) { try defaults.migrate(plan) }
        #expect(error?.cause is Defaults.WriteError)
        #expect(store.value(forKey: "volume") == 80)
    }

    @Test func `what cannot be read stays and is reported, and a value that is there already wins`() throws {
        let store = InMemoryStore(["volume": "loud", "launchCount": 3, "runs": 9])
        let reports = try reportedProblems { try Defaults(store).migrate(Self.plan) }
        #expect(reports.count == 1)
        #expect(store.value(forKey: "volume") == "loud")
        #expect(store.value(forKey: "runs") == 9)
        #expect(store.value(forKey: "launchCount") == 3)
        let both = InMemoryStore(["loudness": 80, "volume": 0.3])
        let loudness = Defaults.Key<Int>("loudness", default: 0)
        try Defaults(both).migrate(Self.plan(.transform(Self.volume, from: loudness) { Double($0) / 100 }))
        #expect(both.value(forKey: "volume") == 0.3 && both.value(forKey: "loudness") == 80)
    }

    @Test func `raw values, anything else, and removal by a transform`() throws {
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(
                to: 1,
                .transform("volume") { .string($0.integerValue?.description ?? "") },
                .transform("obsolete") { _ in nil },
                .transform("absent") { _ in "never" },
                .edit { edit in edit["sum"] = edit["launchCount"] }
            )
        )
        try defaults.migrate(plan)
        var table = store.snapshot()
        table["keyspan.migrations"] = nil
        #expect(table == ["launchCount": 3, "volume": "80", "sum": 3])
    }

    @Test func `all entries of a direct bridge are renamed`() throws {
        let store = InMemoryStore(["frame.width": 1.0, "frame.height": 2.0])
        try Defaults(store).migrate(Self.plan(.rename("frame", to: Self.window)))
        #expect(Defaults(store)[Self.window] == Window(width: 1, height: 2))
        #expect(store.value(forKey: "frame.width") == nil)
    }

    @Test(arguments: [false, true])
    func `what is written after all values were removed is not migrated once more`(isInBatch: Bool) throws {
        let store = InMemoryStore(["timeout": 7])
        let plan = Self.plan(.transform("timeout") { $0.integerValue.map { .integer($0) } })
        try Defaults(store).migrate(plan)
        let record = store.value(forKey: "keyspan.migrations")
        if isInBatch {
            try Defaults(store).commit { $0.removeAll() }
        } else {
            Defaults(store).removeAll()
        }
        #expect(store.value(forKey: "timeout") == nil)
        #expect(record != nil && store.value(forKey: "keyspan.migrations") == record)
        #expect(try !Defaults(store).migrate(plan))
    }

    @Test func `an error after the version was reached says that all is migrated`() throws {
        let source = InMemoryStore(["launchCount": 3])
        let plan = Self.plan(.move("launchCount", from: source, to: Self.runs))
        let target = ScriptedStore()
        target.after(.write) { [weak target] in target?.failWrites(with: .diskFull) }
        let error = #expect(throws: Defaults.MigrationError.self) { try Defaults(target).migrate(plan) }
        #expect(error?.isMigrated == true)
        #expect(target.value(forKey: "runs") == 3)
        #expect(source.value(forKey: "launchCount") == 3)
    }

    @Test func `a renamed key with an entry that does not depend on its name moves the others`() throws {
        let key = Defaults.Key<[String]?>("new", bridge: SharedEntryBridge())
        let store = InMemoryStore(["old": "a", "unit": "b"])
        try Defaults(store).migrate(Self.plan(.rename("old", to: key)))
        #expect(store.value(forKey: "old") == nil)
        #expect(Defaults(store)[key] == ["a", "b"])
    }

    /// Stores two texts: one under the key, one under a name of its own.
    private struct SharedEntryBridge: Defaults.DirectBridge {
        typealias Value = [String]

        func entries(of key: String) -> [String] { [key, "unit"] }

        func get(key: String, store: PropertyListTable) -> [String]? {
            guard let first = store[key]?.stringValue, let second = store["unit"]?.stringValue else { return nil }
            return [first, second]
        }

        func save(key: String, value: [String]?, store: inout PropertyListEdit) {
            store[key] = value.map { .string($0[0]) }
            store["unit"] = value.map { .string($0[1]) }
        }
    }

    @Test func `a transformation in place keeps what it replaces and has not read`() throws {
        let store = InMemoryStore(["window": "1x2", "window.height": 7])
        let oldKey = Defaults.Key<String>("window.width", default: "")
        try store.apply(PropertyListBatch(.set("1", key: "window.width")))
        let step = Defaults.Migration.Step.transform(Self.window, from: oldKey) {
            Window(width: Double($0) ?? 0, height: 2)
        }
        try Defaults(store).migrate(Self.plan(step))
        #expect(Defaults(store)[Self.window] == Window(width: 1, height: 2))
        #expect(Defaults(store).keptValues(for: Self.window).map(\.entries) == [["window.height": 7]])
        #expect(store.value(forKey: "window") == "1x2")
    }

    @Test func `a migration is durable before the program goes on, whoever has done it`() throws {
        let store = ScriptedStore(["launchCount": 3], name: "the store")
        #expect(try Defaults(store).migrate(Self.plan))
        #expect(store.count(of: .synchronize) == 1)
        #expect(try !Defaults(store).migrate(Self.plan))
        #expect(store.count(of: .synchronize) == 2)
        store.failSynchronize(with: .diskFull)
        let error = #expect(throws: Defaults.MigrationError.self) { try Defaults(store).migrate(Self.plan) }
        #expect(error?.isMigrated == true)
        #expect(error?.isMoved == false)
        #expect(error?.description.contains("not durable") == true)
    }

    static let unreadableRecords: [PropertyListValue] = [
        "2", ["app": 2], ["app": ["version": "2"]], ["app": ["version": .integer(.init(UInt64.max))]],
        ["app": ["version": 2, "unfinishedMoves": [1]]],
    ]

    @Test(arguments: unreadableRecords)
    func `a record that cannot be read stays, and so do the values`(record: PropertyListValue) throws {
        try store.apply(PropertyListBatch(.set(record, key: "keyspan.migrations")))
        let before = store.snapshot()
        let error = #expect(throws: Defaults.MigrationError.self) { try defaults.migrate(Self.plan) }
        #expect(error?.isMigrated == false)
        #expect(error?.description.contains("keyspan.migrations") == true)
        #expect(store.snapshot() == before)
    }

    @Test func `what other programs note in the record stays`() throws {
        let record: PropertyListValue = ["app": ["version": 1, "note": "mine"], "other": [1]]
        try store.apply(PropertyListBatch(.set(record, key: "keyspan.migrations")))
        try defaults.migrate(Self.plan)
        #expect(store.value(forKey: "keyspan.migrations") == ["app": ["version": 2, "note": "mine"], "other": [1]])
    }

    @Test func `what cannot be read is reported once, however often the batch is made`() throws {
        let store = InMemoryStore(["volume": "loud", "other": 0])
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(
                to: 1,
                .transform(Self.volume, from: Defaults.Key<Int>("volume", default: 0)) { Double($0) / 100 },
                .edit { [rounds = Locked(0)] edit in
                    let other = edit["other"]?.integerValue?.int64 ?? 0
                    // Another writer comes in between the first two times.
                    let round = rounds.withLock {
                        $0 += 1; return $0
                    }
                    if round < 3 { try store.apply(PropertyListBatch(.set(.integer(.init(other + 1)), key: "other"))) }
                }
            )
        )
        #expect(try reportedProblems { try Defaults(store).migrate(plan) }.count == 1)
    }

    @Test func `one of several threads migrates`() async throws {
        let plan = Self.plan(.transform("count") { .integer(.init(1 + ($0.integerValue?.int64 ?? 0))) })
        for _ in 0..<50 {
            let store = InMemoryStore(["count": 0])
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { try Defaults(store).migrate(plan) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(store.value(forKey: "count") == 1)
            #expect(done == 1)
        }
    }

    @Suite struct Moves {
        private let source = InMemoryStore(["launchCount": 3, "theme": "dark"], name: "the old store")
        private let target = ScriptedStore(name: "the new store")

        private func plan(from source: any PropertyListStore) -> Defaults.MigrationPlan {
            MigrationTests.plan(.move("launchCount", from: source, to: runs))
        }

        @Test func `a value moves from one store to another`() throws {
            #expect(try Defaults(target).migrate(plan(from: source)))
            #expect(target.snapshot() == ["runs": 3, "keyspan.migrations": ["app": ["version": 1]]])
            #expect(target.count(of: .synchronize) == 1)
            #expect(source.snapshot() == ["theme": "dark"])
            #expect(try !Defaults(target).migrate(plan(from: source)))
        }

        @Test func `the original goes only when the copy is durable, and the next start goes on there`() throws {
            target.failSynchronize(with: .diskFull)
            let error = #expect(throws: Defaults.MigrationError.self) {
                try Defaults(target).migrate(plan(from: source))
            }
            #expect(error?.isMoved == true)
            #expect(target.value(forKey: "runs") == 3)
            #expect(source.value(forKey: "launchCount") == 3)
            target.failSynchronize(with: nil)
            #expect(try Defaults(target).migrate(plan(from: source)))
            #expect(source.value(forKey: "launchCount") == nil)
            #expect(target.snapshot() == ["runs": 3, "keyspan.migrations": ["app": ["version": 1]]])
        }

        @Test func `an original that was written anew meanwhile stays`() throws {
            target.failSynchronize(with: .diskFull)
            _ = try? Defaults(target).migrate(plan(from: source))
            try source.apply(PropertyListBatch(.set(4, key: "launchCount")))
            target.failSynchronize(with: nil)
            #expect(try Defaults(target).migrate(plan(from: source)))
            #expect(source.value(forKey: "launchCount") == 4)
            #expect(target.value(forKey: "runs") == 3)
            #expect(try !Defaults(target).migrate(plan(from: source)))
        }

        @Test func `a source that cannot be written keeps its value, and the error says so`() throws {
            let sealed = ScriptedStore(["launchCount": 3], name: "the sealed store")
            sealed.failWrites(with: .sealed)
            let error = #expect(throws: Defaults.MigrationError.self) {
                try Defaults(target).migrate(plan(from: sealed))
            }
            #expect(error?.description.contains("could not be removed") == true)
            #expect(target.value(forKey: "runs") == 3)
        }

        @Test func `moves of two migrations of one version are finished both`() throws {
            let other = InMemoryStore(["theme": "light"], name: "the other store")
            func plan(_ source: any PropertyListStore, _ other: any PropertyListStore) -> Defaults.MigrationPlan {
                Defaults.MigrationPlan(
                    "app",
                    Defaults.Migration(to: 1, .move("launchCount", from: source, to: runs)),
                    Defaults.Migration(to: 1, .move("theme", from: other, to: Defaults.Key<String?>("look")))
                )
            }
            try interrupt { try Defaults(target).migrate(plan(source, other)) }
            #expect(try Defaults(target).migrate(plan(source, other)))
            #expect(source.snapshot() == ["theme": "dark"])
            #expect(other.snapshot() == [:])
            #expect(
                target.snapshot() == ["runs": 3, "look": "light", "keyspan.migrations": ["app": ["version": 1]]]
            )
        }

        @Test func `an older program finishes its own moves, and leaves those of a newer one`() throws {
            let other = InMemoryStore(["theme": "light"], name: "the other store")
            let first = Defaults.Migration(to: 1, .move("launchCount", from: source, to: runs))
            let second = Defaults.Migration(to: 2, .move("theme", from: other, to: Defaults.Key<String?>("look")))
            let (older, newer) = (
                Defaults.MigrationPlan("app", first), Defaults.MigrationPlan("app", first, second)
            )
            try interrupt { try Defaults(target).migrate(newer) }
            #expect(try Defaults(target).migrate(older))
            #expect(source.snapshot() == ["theme": "dark"])
            #expect(other.snapshot() == ["theme": "light"])
            #expect(try !Defaults(target).migrate(older))
            #expect(try Defaults(target).migrate(newer))
            #expect(other.snapshot() == [:])
            #expect(target.value(forKey: "keyspan.migrations") == ["app": ["version": 2]])
        }

        /// Lets the program end when the values are moved and the originals are still there.
        private func interrupt(_ migrate: () throws -> Void) throws {
            target.failSynchronize(with: .diskFull)
            #expect(throws: Defaults.MigrationError.self) { try migrate() }
            target.failSynchronize(with: nil)
        }

        /// A copy of both stores as they are at each point where a program can end.
        @Test func `a program that ends between any two steps loses nothing`() throws {
            let changes = Recorder<(PropertyListTable, PropertyListTable)>()
            let observations = [source as any PropertyListStore, target].map { store in
                store.observe(.all, initial: false) { [source, target] _ in
                    changes.record((source.snapshot(), target.snapshot()))
                }
            }
            try Defaults(target).migrate(plan(from: source))
            observations.forEach { $0.cancel() }
            #expect(changes.count == 3)
            for (source, target) in changes.values {
                #expect(source["launchCount"] == 3 || target["runs"] == 3)
                let (revivedSource, revivedTarget) = (InMemoryStore(source), InMemoryStore(target))
                try Defaults(revivedTarget).migrate(plan(from: revivedSource))
                #expect(revivedTarget.snapshot() == ["runs": 3, "keyspan.migrations": ["app": ["version": 1]]])
                #expect(revivedSource.snapshot() == ["theme": "dark"])
            }
        }
    }
}
