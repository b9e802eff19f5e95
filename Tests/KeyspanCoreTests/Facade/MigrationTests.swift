import KeyspanCore
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

    @Test func `all migrations are done once, in the order of their versions, in one batch`() throws {
        let changes = Locked(0)
        let observation = store.observe(.all, initial: false) { _ in changes.withLock { $0 += 1 } }
        #expect(try defaults.migrate(Self.plan))
        #expect(changes.withLock(\.self) == 1)
        let expected: PropertyListTable = ["runs": 3, "volume": 0.8, "keyspan.migrations": ["app": ["version": 2]]]
        #expect(store.snapshot() == expected)
        #expect(try !defaults.migrate(Self.plan))
        #expect(store.snapshot() == expected)
        #expect(changes.withLock(\.self) == 1)
        observation.cancel()
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
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(to: 1, .transform(key, from: Defaults.Key<Int>("volume", default: 0)) { Double($0) })
        )
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
        let plan = Defaults.MigrationPlan("app", Defaults.Migration(to: 1, .rename("frame", to: Self.window)))
        try Defaults(store).migrate(plan)
        #expect(Defaults(store)[Self.window] == Window(width: 1, height: 2))
        #expect(store.value(forKey: "frame.width") == nil)
    }

    @Test func `one of several threads migrates`() async throws {
        let plan = Defaults.MigrationPlan(
            "app",
            Defaults.Migration(to: 1, .transform("count") { .integer(.init(1 + ($0.integerValue?.int64 ?? 0))) })
        )
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
            Defaults.MigrationPlan("app", Defaults.Migration(to: 1, .move("launchCount", from: source, to: runs)))
        }

        @Test func `a value moves from one store to another`() throws {
            #expect(try Defaults(target).migrate(plan(from: source)))
            #expect(target.snapshot() == ["runs": 3, "keyspan.migrations": ["app": ["version": 1]]])
            #expect(target.synchronizeCount == 1)
            #expect(source.snapshot() == ["theme": "dark"])
            #expect(try !Defaults(target).migrate(plan(from: source)))
        }

        @Test func `the original goes only when the copy is durable, and the next start goes on there`() throws {
            target.failSynchronize(
                with: .init(.notDurable, store: "the new store", reason: "the disk is full", remedy: "free some space")
            )
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
            target.failSynchronize(
                with: .init(.notDurable, store: "the new store", reason: "the disk is full", remedy: "free some space")
            )
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
            sealed.failWrites(
                with: .init(.readOnly, store: "the sealed store", reason: "it is sealed", remedy: "break the seal")
            )
            let error = #expect(throws: Defaults.MigrationError.self) {
                try Defaults(target).migrate(plan(from: sealed))
            }
            #expect(error?.description.contains("could not be removed") == true)
            #expect(target.value(forKey: "runs") == 3)
        }

        /// A copy of both stores as they are at each point where a program can end.
        @Test func `a program that ends between any two steps loses nothing`() throws {
            let changes = Locked<[(PropertyListTable, PropertyListTable)]>([])
            let observations = [source as any PropertyListStore, target].map { store in
                store.observe(.all, initial: false) { [source, target] _ in
                    changes.withLock { $0.append((source.snapshot(), target.snapshot())) }
                }
            }
            try Defaults(target).migrate(plan(from: source))
            observations.forEach { $0.cancel() }
            let states = changes.withLock(\.self)
            #expect(states.count == 3)
            for (source, target) in states {
                #expect(source["launchCount"] == 3 || target["runs"] == 3)
                let (revivedSource, revivedTarget) = (InMemoryStore(source), InMemoryStore(target))
                try Defaults(revivedTarget).migrate(plan(from: revivedSource))
                #expect(revivedTarget.snapshot() == ["runs": 3, "keyspan.migrations": ["app": ["version": 1]]])
                #expect(revivedSource.snapshot() == ["theme": "dark"])
            }
        }
    }
}
