/// A read that returned something wrong or something too old.
enum ReadFailure: HistoryFailure, Equatable {
    /// A read returned what the truth never had: it is torn or invented.
    case unknownState(reader: String, read: Int)
    /// A read returned a state from before the one that an earlier read of the same reader returned.
    case wentBack(reader: String, read: Int, after: Int64, earlierRead: Int)
    /// A read returned a state from before an acknowledged write of the same store.
    case missedOwnWrite(reader: String, read: Int, call: String, revision: Int64)
    /// A key of a background store went back to an earlier value of another client.
    case keyWentBack(reader: String, read: Int, key: String, value: String?, after: Int64)
    /// A key of a background store has a value that nobody wrote to it.
    case inventedValue(reader: String, read: Int, key: String, value: String?)

    var description: String {
        switch self {
        case .unknownState(let reader, let read): "Read \(read) of \(reader) returned what the cluster never had."
        case .wentBack(let reader, let read, let after, let earlierRead):
            "Read \(read) of \(reader) returned a state from before revision \(after), which its read \(earlierRead) had "
                + "reached."
        case .missedOwnWrite(let reader, let read, let call, let revision):
            "Read \(read) of \(reader) began after call \(call) of the same store had returned, but shows a state from "
                + "before its revision \(revision)."
        case .keyWentBack(let reader, let read, let key, let value, let after):
            "Read \(read) of \(reader) has \(String(shown: value)) for \(key), which the cluster did not have at or after "
                + "revision \(after)."
        case .inventedValue(let reader, let read, let key, let value):
            "Read \(read) of \(reader) has \(String(shown: value)) for \(key), which nobody wrote."
        }
    }
}

/// Compares the reads of direct stores with the states of the truth.
///
/// A read can match several states. It takes the earliest one that is neither before that of the read before it nor before
/// an own write; if any assignment of ascending revisions exists, this one does.
struct ReadCheck: Sendable {
    private struct Acknowledgment {
        let call: String
        let returned: UInt64
        let position: Int
    }

    private let index: TruthIndex
    private let acknowledgments: [String: [Acknowledgment]]

    /// Collects the acknowledged calls of all stores.
    init(_ placement: CallPlacement, in index: TruthIndex) {
        self.index = index
        var acknowledgments: [String: [Acknowledgment]] = [:]
        for (call, place) in zip(placement.calls, placement.places) {
            guard call.outcome == .acknowledged, let returned = call.returned, case .once(let position) = place else {
                continue
            }
            acknowledgments[call.store, default: []].append(
                Acknowledgment(call: call.id, returned: returned, position: position)
            )
        }
        self.acknowledgments = acknowledgments.mapValues { $0.sorted { $0.returned < $1.returned } }
    }

    /// Finds the first read of a reader that does not fit.
    func failures(of reader: RecordedReader) -> [ReadFailure] {
        let calls = acknowledgments[reader.store] ?? []
        var nextCall = 0
        var own: Acknowledgment?
        var (floor, floorRead) = (0, 0)
        var last: (content: ReadContent, digest: TableDigest)?
        for (number, read) in reader.reads.enumerated() {
            while nextCall < calls.count, calls[nextCall].returned < read.began {
                if calls[nextCall].position > own?.position ?? -1 { own = calls[nextCall] }
                nextCall += 1
            }
            // A store that returns one table many times shares its storage, which makes the comparison cheap.
            var digest: TableDigest?
            if case .snapshot(let table) = read.content {
                let known = last?.content == read.content ? last?.digest : nil
                let new = known ?? TableDigest(table)
                last = (read.content, new)
                digest = new
            }
            func firstPosition(from position: Int) -> Int? {
                switch read.content {
                case .snapshot: digest.flatMap { index.firstPosition(of: $0, from: position) }
                case .digest(let digest): index.firstPosition(of: digest, from: position)
                case .value(let key, let value):
                    index.firstPosition(of: Entry(key: key, value: value), from: position)
                }
            }
            if let position = firstPosition(from: max(floor, own?.position ?? 0)) {
                if position > floor { (floor, floorRead) = (position, number) }
                continue
            }
            guard firstPosition(from: 0) != nil else { return [.unknownState(reader: reader.name, read: number)] }
            if let own, firstPosition(from: floor) != nil {
                let revision = index.revision(at: own.position)
                return [.missedOwnWrite(reader: reader.name, read: number, call: own.call, revision: revision)]
            }
            let after = index.revision(at: floor)
            return [.wentBack(reader: reader.name, read: number, after: after, earlierRead: floorRead)]
        }
        return []
    }
}
