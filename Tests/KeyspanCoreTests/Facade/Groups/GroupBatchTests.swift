import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite struct GroupBatchTests {
    private let store = InMemoryStore()
    private var settings: Defaults.Group<AppKeys> { Defaults.Group(store) }

    @Test func `the writes of a batch are one change, through groups and prefixes`() {
        let changes = recordedChanges(of: store) {
            settings.update {
                $0.launchCount += 1
                $0.window.title = "first"
                $0.window.title += " and last"
                $0.server.tls.certificate = "cert.pem"
                $0.server.limits.names.append($0.window.title)
                $0[\.server.port] = 443
            }
        }
        #expect(changes.count == 1)
        #expect(
            store.snapshot() == [
                "launchCount": 1,
                "title": "first and last",
                "server.tls.certificate": "cert.pem",
                "server.names": ["first and last"],
                "server.port": 443,
            ]
        )
    }

    @Test func `a value that cannot be written, in whatever group, lets the batch fail`() {
        let settings = settings
        let problems = reportedProblems {
            settings.update {
                $0.launchCount = 1
                $0.window.width = 5
                $0.server.port = 1
            }
        }
        #expect(problems.count == 1)
        #expect(problems.first?.contains("between 100 and 4000") == true)
        #expect(throws: Defaults.WriteError.self) {
            try settings.commit { $0.window.width = 5 }
        }
        #expect(store.snapshot() == [:])
    }

    @Test func `a batch that throws changes nothing, and one that does not returns what its closure returns`() throws {
        struct Stop: Error {}
        let settings = settings
        #expect(throws: Stop.self) {
            try settings.commit {
                $0.server.port = 1
                throw Stop()
            }
        }
        #expect(store.snapshot() == [:])
        let name = try settings.commit { batch in
            try batch.set(User(name: "Ann", age: 30), for: \.account)
            try batch.window.set(200, for: \.width)
            return batch.window.title
        }
        #expect(name == "untitled")
        #expect(try settings.account?.name == "Ann")
        #expect(settings.window.width == 200)
    }

    @Test func `a batch that fails inside a group's access keeps what it had`() throws {
        try settings.commit { batch in
            batch.window.title = "kept"
            #expect(throws: Defaults.WriteError.self) { try batch.window.set(5, for: \.width) }
            batch.server.port = 1
        }
        #expect(store.snapshot() == ["title": "kept", "server.port": 1])
    }

    @Test func `keys are removed by a batch, or all of a group's`() {
        let settings = settings
        settings.launchCount = 1
        settings.window.title = "title"
        settings.server.port = 1
        settings.server.tls.certificate = "cert.pem"
        settings.update {
            $0.reset(\.launchCount)
            $0.server.resetAll()
            $0.server.port = 2
        }
        #expect(store.snapshot() == ["title": "title", "server.port": 2])
        settings.update { $0.resetAll() }
        #expect(store.snapshot() == [:])
    }
}
