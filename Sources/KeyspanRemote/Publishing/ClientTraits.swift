#if Remote
#if canImport(CryptoKit)
internal import CryptoKit
#else
internal import Crypto
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The traits by which a settings server assigns a client to a group: the platform, the version, a cohort, and a bucket,
/// each if the client sends it.
///
/// A client sends these in the query of the URL, so choose values that many clients have, and leave out those that the
/// server does not use. The bucket is one of 1,000, computed from an identifier that stays in the client:
///
/// ```swift
/// // With the trait Remote
/// let traits = ClientTraits(platform: "iOS", version: "7.2", id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED")
/// ```
public struct ClientTraits: Sendable {
    /// The number of buckets.
    public static let bucketCount = 1_000
    /// The most bytes of each text.
    public static let maximumLength = 128

    /// The platform, such as `iOS`.
    public let platform: String?
    /// The version of the program, such as `7.2`.
    public let version: String?
    /// The name of a part of all clients, such as `beta`.
    public let cohort: String?
    /// The bucket, from 0 to 999; `nil` for a client without one, which is in no part of a rollout.
    public let bucket: Int?

    /// Makes the traits of a client with a bucket, or without one.
    ///
    /// - Parameters:
    ///   - platform: The platform, such as `iOS`.
    ///   - version: The version of the program, such as `7.2`.
    ///   - cohort: The name of a part of all clients, such as `beta`.
    ///   - bucket: The bucket; another number than 0 to 999 counts as none.
    public init(platform: String? = nil, version: String? = nil, cohort: String? = nil, bucket: Int? = nil) {
        (self.platform, self.version, self.cohort) = (platform, version, cohort)
        self.bucket = bucket.flatMap { (0..<Self.bucketCount).contains($0) ? $0 : nil }
    }

    /// Makes the traits of a client with the bucket of an identifier.
    ///
    /// The identifier is not kept. The bucket is the rest of the first eight bytes of the SHA-256 of `keyspan-bucket
    /// 1`, a line feed and the identifier, divided by 1,000.
    ///
    /// - Parameters:
    ///   - platform: The platform, such as `iOS`.
    ///   - version: The version of the program, such as `7.2`.
    ///   - cohort: The name of a part of all clients, such as `beta`.
    ///   - id: The identifier of the installation or of the user, such as a UUID that the program has stored.
    public init(platform: String? = nil, version: String? = nil, cohort: String? = nil, id: String) {
        let number = RolloutOrder.number(of: "keyspan-bucket 1\n\(id)")
        let bucket = Int(number % UInt64(Self.bucketCount))
        self.init(platform: platform, version: version, cohort: cohort, bucket: bucket)
    }

    /// Whether a rollout that has reached a part of all clients has reached this one.
    ///
    /// The part is exact: 25 percent are 250 of the 1,000 buckets. A larger percentage has all clients of a smaller
    /// one, and which buckets a rollout reaches first depends on its name, so that rollouts are independent of each
    /// other.
    ///
    /// - Parameters:
    ///   - percent: The part in percent, rounded to a tenth; less than 0 is 0, and more than 100 is 100.
    ///   - rollout: The name of the rollout.
    /// - Returns: Whether the client is in it. One without a bucket is only in a rollout of 100 percent.
    public func isIn(_ percent: Double, of rollout: String) -> Bool {
        let count = percent.isNaN ? 0 : Int((min(max(percent, 0), 100) * Double(Self.bucketCount) / 100).rounded())
        if count == Self.bucketCount { return true }
        guard count > 0, let bucket else { return false }
        return RolloutOrder.of(rollout).rank(ofBucket: bucket) < count
    }

    /// The name of a text that is longer than the limit or has control characters; `nil` if there is none.
    var invalidText: String? {
        [("platform", platform), ("version", version), ("cohort", cohort)].first { _, text in
            let bytes = Array((text ?? "").utf8)
            return bytes.count > Self.maximumLength || bytes.contains { $0 < 0x20 || $0 == 0x7F }
        }?.0
    }
}

/// The order in which a rollout reaches the buckets.
final class RolloutOrder: Sendable {
    /// The place of each bucket in the order.
    private let ranks: [UInt16]

    private init(of rollout: String) {
        let numbers = (0..<ClientTraits.bucketCount).map { Self.number(of: "keyspan-rollout 1\n\(rollout)\n\($0)") }
        var ranks = [UInt16](repeating: 0, count: ClientTraits.bucketCount)
        let order = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
        for (rank, bucket) in order.enumerated() { ranks[bucket] = UInt16(rank) }
        self.ranks = ranks
    }

    func rank(ofBucket bucket: Int) -> Int { Int(ranks[bucket]) }

    /// The first eight bytes of a text's SHA-256 as a number.
    static func number(of text: String) -> UInt64 {
        SHA256.hash(data: Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    // Each order takes 2 KB and a thousand hashes. Beyond this many rollouts, all are computed anew.
    private static let maximumKept = 256
    private static let kept = Locked(TextDictionary<RolloutOrder>())

    /// The order of a rollout, computed once.
    static func of(_ rollout: String) -> RolloutOrder {
        if let order = kept.withLock({ $0[rollout] }) { return order }
        let order = RolloutOrder(of: rollout)
        kept.withLock { kept in
            if kept.count >= maximumKept { kept = [:] }
            kept[rollout] = order
        }
        return order
    }
}
#endif
