import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Random pages and other writers at once, and what must hold for each of their changes.
@Suite(.heavy, .seeded)
struct ConsoleModelTests {
    private static let keys = (0..<4).map {
        Defaults.Key<Int>("k\($0)", default: 0).validated(by: .range(0...1_000_000))
    }

    /// A page of one person, who adds one to values that they see.
    ///
    /// An increment that is lost shows that somebody overwrote a value unseen.
    private func increment(_ console: TestConsole, times: Int, using generator: inout SeededGenerator) async throws
        -> [Int]
    {
        var added = [Int](repeating: 0, count: Self.keys.count)
        for _ in 0..<times {
            let page = try await console.page()
            let chosen = Self.keys.indices.filter { _ in Bool.random(using: &generator) }
            if chosen.isEmpty { continue }
            let isInvalid = Int.random(in: 0..<8, using: &generator) == 0
            var changes: [PropertyListDictionary] = []
            for index in chosen {
                let row = try #require(page.row(of: "k\(index)"))
                let seen = try #require(row.text(after: #"<bdi class="value">"#).flatMap { Int($0) })
                let version = try #require(row.attribute("data-version", after: "<tr"))
                let new = isInvalid && index == chosen.last ? -1 : seen + 1
                changes.append(["key": .string("k\(index)"), "version": .string(version), "text": .string("\(new)")])
            }
            let status = try await console.send(changes).status
            #expect([200, 409].contains(status) || isInvalid && status == 422)
            if status == 200 { for index in chosen { added[index] += 1 } }
        }
        return added
    }

    @Test(arguments: SeededGenerator.seeds(TestLevel.current.pick(3, thorough: 30)))
    func `no change overwrites another one unseen`(_ seed: UInt64) async throws {
        let store = InMemoryStore()
        let console = TestConsole(Self.keys, in: store)
        let sums = try await withThrowingTaskGroup(of: [Int].self) { group in
            for person in 0..<3 {
                group.addTask { [self] in
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(person))
                    return try await increment(console, times: 20, using: &generator)
                }
            }
            group.addTask {
                var added = [Int](repeating: 0, count: Self.keys.count)
                for number in 0..<60 {
                    let index = number % Self.keys.count
                    Defaults(store).modify(Self.keys[index]) { $0 += 1 }
                    added[index] += 1
                    await Task.yield()
                }
                return added
            }
            return try await group.reduce([Int](repeating: 0, count: Self.keys.count)) { sum, added in
                zip(sum, added).map { $0 + $1 }
            }
        }
        for (key, sum) in zip(Self.keys, sums) { #expect(Defaults(store)[key] == sum) }
    }
}

extension String {
    fileprivate func text(after mark: String) -> String? {
        self[...].range(of: mark).map { String(self[$0.upperBound...].prefix { $0 != "<" }) }
    }
}
