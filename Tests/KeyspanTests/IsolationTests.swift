import Dispatch
import Keyspan
import KeyspanTesting
import Testing

extension Defaults.Keys {
    fileprivate static let visits = Key<Int>("visits", default: 0)
    fileprivate static let path = Key<[String]>("path", default: [])
}

/// That tests with the trait share nothing, though they use the same keys at the same time.
@Suite(.isolatedDefaults)
struct IsolationTests {
    @Test(arguments: 0..<20)
    func `each case begins without values and keeps its own`(_ number: Int) async {
        #expect(Defaults[.visits] == 0)
        #expect(Defaults[.path] == [])
        for step in 1...50 {
            Defaults[.visits] = number * 100 + step
            Defaults[.path].append("\(number)")
            await Task.yield()
            #expect(Defaults[.visits] == number * 100 + step)
            #expect(Defaults[.path] == Array(repeating: "\(number)", count: step))
        }
    }

    @Test func `tasks of the test have its store, detached ones do not`() async {
        Defaults[.visits] = 7
        async let child = Defaults[.visits]
        #expect(await child == 7)
        #expect(await Task { Defaults[.visits] }.value == 7)
        let name = Defaults.standard.store.name
        #expect(await Task.detached { Defaults.standard.store.name }.value != name)
    }

    @Test(.isolatedDefaults(["visits": 5]))
    func `a test can begin with values`() {
        #expect(Defaults[.visits] == 5)
        Defaults.reset(.visits)
        #expect(Defaults[.visits] == 0)
    }

    @Test(arguments: 0..<4)
    func `defaults are registered for one case`(_ number: Int) throws {
        #expect(!Defaults.hasValue(for: .visits))
        try Defaults.register(["visits": PropertyListValue(number)])
        #expect(Defaults[.visits] == number)
        #expect(Defaults.hasValue(for: .visits))
        try Defaults.register(.visits, .path)
        #expect(Defaults.standard.store.snapshot() == ["visits": 0, "path": []])
    }

    @Test func `an operation has the innermost store, and its own again after that`() async throws {
        Defaults[.visits] = 1
        let inner = InMemoryStore(["visits": 2])
        Defaults.withStandardStore(inner) {
            #expect(Defaults[.visits] == 2)
            Defaults[.visits] += 1
        }
        await Defaults.withStandardStore(inner) {
            await Task.yield()
            #expect(Defaults[.visits] == 3)
        }
        #expect(Defaults[.visits] == 1)
        #expect(Defaults[.visits, in: inner] == 3)
    }

    @Test func `what an operation makes of its store keeps it; what runs elsewhere or later has another`() async {
        struct VisitKeys: KeyGroup {
            let visits = Key<Int>("visits", default: 0)
        }
        struct Page {
            @Default(.visits) var visits
        }
        let inner = InMemoryStore(["visits": 2], name: "inner")
        let page = Page()
        let (group, defaults, task, closure) = Defaults.withStandardStore(inner) {
            #expect(page.visits == 2)
            return (
                Defaults.Group<VisitKeys>(), Defaults.standard, Task { Defaults[.visits] }, { Defaults[.visits] }
            )
        }
        #expect(group.visits == 2)
        #expect(defaults[.visits] == 2)
        #expect(await task.value == 2)
        #expect(closure() == 0)
        #expect(page.visits == 0)
        let nameOnAnotherThread = await Defaults.withStandardStore(inner) {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: Defaults.standard.store.name) }
            }
        }
        #expect(nameOnAnotherThread != "inner")
    }
}
