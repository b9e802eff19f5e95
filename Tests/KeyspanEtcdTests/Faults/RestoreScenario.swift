import KeyspanTesting
import Testing

/// The changes that a restore throws away and those that are made in their place.
struct RestoreScenario: Sendable, CustomTestStringConvertible {
    /// The kind of the changes.
    enum Shape: String, CaseIterable, Sendable {
        /// The key that had changed gets another value.
        case sameKey
        /// The key that had changed stays as it was in the backup, and another one changes.
        case otherKey
        /// The key that had changed is removed.
        case removal
        /// The key that had changed is removed and made anew.
        case removalAndPut
        /// A key that had been removed gets another value.
        case lostRemoval
        /// Several keys had changed at one revision, and only one of them does now.
        case lostBatch
        /// Nothing with the prefix changes.
        case onlyElsewhere
        /// The last changes are equal in both histories.
        case equalEnd
        /// More changes are equal than a store can be expected to remember.
        case longEqualEnd
        /// The cluster has compacted everything up to its last revision.
        case compaction
        /// Nothing with the prefix had changed, and nothing does now.
        case untouched
    }

    /// How far the new history comes.
    enum Length: String, CaseIterable, Sendable {
        case shorter, equal, longer
    }

    /// The prefix of the stores.
    static let prefix = "greeter/"

    /// The values in the backup.
    static let base: [ClusterChange] = [["k": "1", "other": "7", "third": "1"].asEntries, ["elsewhere": "1"]]

    let shape: Shape
    let length: Length
    var memberCount = 1

    var testDescription: String { "\(shape.rawValue), \(length.rawValue), \(memberCount)" }

    /// The scenarios of a level: each shape with each length, or with the length for which a store that looks at the last revision alone is
    /// wrong.
    static let ofLevel: [RestoreScenario] = {
        let all = Shape.allCases.flatMap { shape in
            Length.allCases.map { RestoreScenario(shape: shape, length: $0) }
        }
        let three = Shape.allCases.map { RestoreScenario(shape: $0, length: .equal, memberCount: 3) }
        return TestLevel.current.pick(
            all.filter { $0.length == .equal || $0.shape == .otherKey },
            thorough: all + three
        )
    }()

    /// The changes that the restore throws away.
    var lost: [ClusterChange] {
        let missing =
            switch length {
            case .shorter: change.new.count + 2 - change.lost.count
            case .equal: change.new.count - change.lost.count
            case .longer: 0
            }
        return change.lost + padding(missing, isLost: true)
    }

    /// The changes that an operator makes after the restore.
    var new: [ClusterChange] {
        let missing =
            switch length {
            case .shorter: 0
            case .equal: change.lost.count - change.new.count
            case .longer: change.lost.count + 3 - change.new.count
            }
        return change.new + padding(missing, isLost: false)
    }

    private var change: (lost: [ClusterChange], new: [ClusterChange]) {
        let equal = (0..<(shape == .longEqualEnd ? 20 : 1)).map { ["third": "\(100 + $0)"].asEntries }
        let lost: [ClusterChange] = [["k": "2"].asEntries]
        return switch shape {
        case .sameKey: (lost, [["k": "3"].asEntries])
        case .otherKey: (lost, [["other": "99"].asEntries] + (2...6).map { ["third": "\($0)"].asEntries })
        case .removal: (lost, [["k": nil].asEntries])
        case .removalAndPut: (lost, [["k": nil].asEntries, ["k": "3"].asEntries])
        case .lostRemoval: ([["k": nil].asEntries], [["k": "3"].asEntries])
        case .lostBatch: ([["k": "2", "other": "8", "third": nil].asEntries], [["k": "2"].asEntries])
        case .onlyElsewhere: (lost, [["elsewhere": "2"]])
        case .equalEnd, .longEqualEnd: (lost + equal, [["other": "99"].asEntries] + equal)
        case .compaction: (lost, [["other": "99"].asEntries])
        case .untouched: ([["elsewhere": "2"]], [["elsewhere": "3"]])
        }
    }

    /// Changes that make a history longer.
    private func padding(_ count: Int, isLost: Bool) -> [ClusterChange] {
        (0..<max(count, 0)).map { number in
            shape == .untouched || shape == .onlyElsewhere && !isLost
                ? ["elsewhere": "\(number)"] : ["third": "\(200 + number)"].asEntries
        }
    }
}

extension [String: String?] {
    /// The same with the whole keys of entries.
    fileprivate var asEntries: ClusterChange {
        reduce(into: [:]) { $0.updateValue($1.value, forKey: RestoreScenario.prefix + $1.key) }
    }
}
