import KeyspanCore
import Testing

@testable import KeyspanRemote

@Suite
struct RemoteClientTests {
    private func members(_ percent: Double, of rollout: String) -> Set<Int> {
        Set((0..<1_000).filter { RemoteClient(bucket: $0).isIn(percent, of: rollout) })
    }

    @Test(arguments: [0, 0.04, 0.1, 1, 12.5, 25, 33.3, 50, 99.9, 100, 250, -3, .nan, .infinity])
    func `a percentage is exact`(_ percent: Double) {
        let expected = percent.isNaN ? 0 : Int((min(max(percent, 0), 100) * 10).rounded())
        #expect(members(percent, of: "search").count == expected)
    }

    @Test func `a larger percentage has all clients of a smaller one`() {
        var before: Set<Int> = []
        for percent in stride(from: 0.0, through: 100, by: 2.5) {
            let now = members(percent, of: "search")
            #expect(before.isSubset(of: now))
            before = now
        }
    }

    @Test func `rollouts are independent of each other`() {
        let both = members(50, of: "a").intersection(members(50, of: "b"))
        // 250 are expected; the chance of more than 60 off is below one in ten million, and the hash is always the same.
        #expect((190...310).contains(both.count))
        #expect(members(10, of: "a") != members(10, of: "b"))
    }

    @Test func `the order of buckets never changes`() {
        // Servers of all versions must decide alike.
        let first = (0..<1_000).filter { RemoteClient(bucket: $0).isIn(0.5, of: "search") }
        #expect(first == Self.firstOfSearch)
        #expect(RemoteClient(id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED").bucket == Self.bucketOfExample)
    }

    // Computed with Python's hashlib.
    private static let firstOfSearch = [114, 232, 401, 639, 714]
    private static let bucketOfExample = 858

    @Test func `identifiers are spread over all buckets`() {
        var counts = [Int](repeating: 0, count: 10)
        for number in 0..<5_000 { counts[(RemoteClient(id: "client \(number)").bucket ?? 0) / 100] += 1 }
        #expect(counts.allSatisfy { (400...600).contains($0) })
    }

    @Test func `a client without a bucket is in a full rollout only`() {
        #expect(!RemoteClient().isIn(99.9, of: "a") && RemoteClient().isIn(100, of: "a"))
        #expect(RemoteClient(bucket: 1_000).bucket == nil && RemoteClient(bucket: -1).bucket == nil)
    }

    @Test func `clients are equal if the UTF-8 of their texts is`() {
        #expect(RemoteClient(cohort: "e\u{301}") != RemoteClient(cohort: "\u{E9}"))
        #expect(RemoteClient(platform: "a") != RemoteClient(version: "a"))
        #expect(RemoteClient(platform: "iOS", version: "1", bucket: 3).query == "platform=iOS&version=1&bucket=3")
        #expect(RemoteClient(cohort: "a+b &é").query == "cohort=a%2Bb%20%26%C3%A9")
    }
}
