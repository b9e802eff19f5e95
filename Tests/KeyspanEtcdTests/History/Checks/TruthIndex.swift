/// A key with a value, where `nil` stands for a missing key.
struct Entry: Hashable, Sendable {
    let key: String
    let value: String?
}

/// The history of the cluster, prepared so that each question of a check is a look-up or a binary search.
///
/// States have positions: 0 is the starting state, and n is the state after the n-th revision.
struct TruthIndex: Sendable {
    let truth: ClusterTruth
    /// The state after the last revision.
    let final: [String: String]
    /// The keys that differ between a position and the one before it, with their new values; nothing at position 0.
    let differences: [[String: String?]]
    /// The digests of the states.
    let digests: [TableDigest]

    private struct Step {
        let position: Int
        let value: String?
    }

    private let positionsOfDigest: [TableDigest: [Int]]
    private let timelines: [String: [Step]]
    private let starts: [Entry: [Int]]
    private let writes: [Entry: [Int]]
    private let puts: [String: [Int]]
    private let laterDifference: [Int?]

    /// Walks through the revisions once.
    init(_ truth: ClusterTruth) {
        self.truth = truth
        var table = truth.start
        var digest = TableDigest(table)
        var digests = [digest]
        var differences: [[String: String?]] = [[:]]
        var timelines = table.mapValues { [Step(position: 0, value: $0)] }
        var starts: [Entry: [Int]] = [:]
        var writes: [Entry: [Int]] = [:]
        var puts: [String: [Int]] = [:]
        for (key, value) in table { starts[Entry(key: key, value: value)] = [0] }
        for (offset, revision) in truth.revisions.enumerated() {
            let position = offset + 1
            var difference: [String: String?] = [:]
            for (key, value) in revision.events {
                writes[Entry(key: key, value: value), default: []].append(position)
                if value != nil { puts[key, default: []].append(position) }
                let old = table[key]
                guard old != value else { continue }
                table[key] = value
                digest.replace(old, with: value, forKey: key)
                difference.updateValue(value, forKey: key)
                timelines[key, default: []].append(Step(position: position, value: value))
                starts[Entry(key: key, value: value), default: []].append(position)
            }
            digests.append(digest)
            differences.append(difference)
        }
        var laterDifference: [Int?] = []
        var later: Int?
        for position in differences.indices.reversed() {
            laterDifference.append(later)
            if !differences[position].isEmpty { later = position }
        }
        self.laterDifference = laterDifference.reversed()
        (self.digests, self.differences, final) = (digests, differences, table)
        (self.timelines, self.starts, self.writes, self.puts) = (timelines, starts, writes, puts)
        positionsOfDigest = Dictionary(grouping: digests.indices, by: { digests[$0] })
    }

    /// The position of the last state.
    var lastPosition: Int { truth.revisions.count }

    /// The number of the revision that led to a position.
    func revision(at position: Int) -> Int64 {
        position == 0 ? truth.startRevision : truth.revisions[position - 1].revision
    }

    /// The numbers of the revisions that led to positions.
    func revisions(at positions: some Sequence<Int>) -> [Int64] { positions.map { revision(at: $0) } }

    /// What the revision that led to a position wrote, with or without effect.
    func events(at position: Int) -> [String: String?] { truth.revisions[position - 1].events }

    /// The last position whose revision is not higher than the given one; `nil` before the start.
    func lastPosition(upTo revision: Int64) -> Int? {
        guard revision >= truth.startRevision else { return nil }
        return truth.revisions.partitioningIndex { $0.revision > revision }
    }

    /// The next position whose state differs from that of the given one.
    func nextDifference(after position: Int) -> Int? { laterDifference[position] }

    /// The positions with effect after the given one, through another one.
    func differingPositions(after position: Int, through last: Int) -> [Int] {
        guard position < last else { return [] }
        return (position + 1...last).filter { !differences[$0].isEmpty }
    }

    /// All positions whose states have a digest, in ascending order.
    func positions(of digest: TableDigest) -> [Int] { positionsOfDigest[digest] ?? [] }

    /// The first position at or after the given one whose state has a digest.
    func firstPosition(of digest: TableDigest, from position: Int) -> Int? {
        let positions = positions(of: digest)
        let index = positions.partitioningIndex { $0 >= position }
        return index < positions.count ? positions[index] : nil
    }

    /// The value of a key at a position.
    func value(of key: String, at position: Int) -> String? {
        guard let timeline = timelines[key] else { return nil }
        let index = timeline.partitioningIndex { $0.position > position }
        return index == 0 ? nil : timeline[index - 1].value
    }

    /// The first position at or after the given one at which a key has a value.
    func firstPosition(of entry: Entry, from position: Int) -> Int? {
        if value(of: entry.key, at: position) == entry.value { return position }
        guard let positions = starts[entry] else { return nil }
        let index = positions.partitioningIndex { $0 >= position }
        return index < positions.count ? positions[index] : nil
    }

    /// The positions whose revisions wrote a value to a key, with or without effect.
    func positions(writing entry: Entry) -> [Int] { writes[entry] ?? [] }

    /// The positions whose revisions wrote any value to a key.
    func positions(putting key: String) -> [Int] { puts[key] ?? [] }

    /// The positions at which a key got another value, after the start.
    func positions(changing key: String) -> [Int] {
        (timelines[key] ?? []).map(\.position).filter { $0 > 0 }
    }

    /// The keys that have a value at a position.
    func keys(at position: Int) -> [String] { timelines.keys.filter { value(of: $0, at: position) != nil } }
}

extension RandomAccessCollection {
    /// The index of the first element that satisfies the condition, if all those after it do so too.
    func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if isInSecondPart(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
