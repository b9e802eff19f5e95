import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

@Suite
struct ClientTraitsTests {
    private func members(_ percent: Double, of rollout: String) -> Set<Int> {
        Set((0..<1_000).filter { ClientTraits(bucket: $0).isIn(percent, of: rollout) })
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
        let first = (0..<1_000).filter { ClientTraits(bucket: $0).isIn(0.5, of: "search") }
        #expect(first == Self.firstOfSearch)
        #expect(ClientTraits(id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED").bucket == Self.bucketOfExample)
    }

    // Computed with Python's hashlib.
    private static let firstOfSearch = [114, 232, 401, 639, 714]
    private static let bucketOfExample = 858

    @Test func `identifiers are spread over all buckets`() {
        var counts = [Int](repeating: 0, count: 10)
        for number in 0..<5_000 { counts[(ClientTraits(id: "client \(number)").bucket ?? 0) / 100] += 1 }
        #expect(counts.allSatisfy { (400...600).contains($0) })
    }

    @Test func `a client without a bucket is in a full rollout only`() {
        #expect(!ClientTraits().isIn(99.9, of: "a") && ClientTraits().isIn(100, of: "a"))
        #expect(ClientTraits(bucket: 1_000).bucket == nil && ClientTraits(bucket: -1).bucket == nil)
    }

    @Test(arguments: [
        (ClientTraits(), ""),
        (ClientTraits(platform: "iOS", version: "7.2_~-", bucket: 3), "platform=iOS&version=7.2_~-&bucket=3"),
        (ClientTraits(cohort: "a+b &é"), "cohort=a+b%20%26%C3%A9"),
        (ClientTraits(platform: "", cohort: "\u{10FFFF}%=?#/"), "platform=&cohort=%F4%8F%BF%BF%25%3D?%23/"),
        (ClientTraits(bucket: 0), "bucket=0"), (ClientTraits(bucket: 999), "bucket=999"),
    ])
    func `the query of traits reaches the closure as the same traits`(_ traits: ClientTraits, _ query: String) throws {
        var components = URLComponents()
        components.queryItems = traits.queryItems
        #expect(components.percentEncodedQuery == query)
        let received = Recorder<ClientTraits>()
        let server = try TestServer { traits in
            received.record(traits)
            return "all"
        }
        #expect(server.get("/settings?\(query)").status == 307)
        #expect(received.values.map(\.queryItems) == [traits.queryItems])
    }

    @Test(arguments: [
        (ClientTraits(platform: String(repeating: "a", count: 129)), "platform"),
        (ClientTraits(platform: String(repeating: "a", count: 128), version: "a\u{7F}"), "version"),
        (ClientTraits(version: "ok", cohort: "\n"), "cohort"),
    ])
    func `a text that no query may have is named`(_ traits: ClientTraits, _ name: String) {
        #expect(traits.invalidText == name)
        #expect(ClientTraits(platform: String(repeating: "a", count: 128)).invalidText == nil)
    }
}
