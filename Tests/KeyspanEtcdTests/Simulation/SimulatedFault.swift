import KeyspanTesting

@testable import KeyspanEtcd

/// The calls that faults tell apart.
enum SimulatedCall: Sendable, Hashable {
    /// A listing of entries.
    case list
    /// A count of entries.
    case count
    /// A transaction that only reads.
    case learn
    /// A transaction with writes.
    case attempt
    /// A transaction that gives another one up.
    case giveUp
    /// A transaction that writes a marker for the first time.
    case establishment
    case lease
    case revocation
    case watch
}

extension SimulatedCall {
    init(_ request: Etcdserverpb_TxnRequest) {
        let puts = request.success.compactMap { operation in
            if case .requestPut(let put)? = operation.request { put } else { nil }
        }
        let isGivenUp = puts.contains { String(decoding: $0.value, as: UTF8.self).hasSuffix(" given up") }
        let isFirst = puts.map(\.value) == [WriterMarker.beginning] && puts[0].lease != 0
        self =
            request.compare.isEmpty && puts.isEmpty
            ? .learn : isGivenUp ? .giveUp : isFirst ? .establishment : .attempt
    }
}

/// What goes wrong with one call.
enum SimulatedFault: Sendable, Hashable {
    /// The member never receives it; the caller waits in vain.
    case losesRequest
    /// It happens, and the caller waits in vain for the answer.
    case losesAnswer
    /// The caller waits in vain; it happens when the test says so.
    case staysUnderWay
    /// The caller waits in vain; it happens after a while.
    case happensLate(Duration)
    /// The member refuses it.
    case fails(CallError.Kind)
    /// It happens, and the member answers with an error all the same.
    case happensAndFails(CallError.Kind)
    /// It happens and is answered, later than the caller waits for it if that is long.
    case takes(Duration)
    /// The member answers with an error, which takes a while.
    case failsLate(CallError.Kind, Duration)
    /// The connection ends before it happens.
    case endsConnection
    /// It happens, and the connection ends before the answer.
    case endsConnectionAfterwards
}

/// Faults by chance.
struct SimulatedChaos: Sendable {
    private var random: SeededGenerator
    /// Of a hundred calls, how many have a fault.
    let rate: Int

    init(seed: UInt64, rate: Int) {
        (random, self.rate) = (SeededGenerator(seed: seed), rate)
    }

    /// The fault of the next call.
    mutating func fault(for call: SimulatedCall) -> SimulatedFault? {
        guard Int.random(in: 0..<100, using: &random) < rate else { return nil }
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return .losesRequest
        case 1, 2: return .losesAnswer
        case 3, 4: return .happensLate(.milliseconds(Int.random(in: 1..<150, using: &random)))
        case 5: return .fails(.busy)
        case 6: return .fails(.unavailable)
        case 7: return .happensAndFails(.unavailable)
        case 8: return .takes(.milliseconds(Int.random(in: 1..<60, using: &random)))
        case 9: return .endsConnection
        case 10: return .failsLate(.busy, .milliseconds(Int.random(in: 1..<120, using: &random)))
        case 11: return .takes(.milliseconds(Int.random(in: 50..<150, using: &random)))
        default: return .endsConnectionAfterwards
        }
    }

    /// How a watch sends what it has: how many revisions in one response, and whether in fragments.
    mutating func style() -> (revisions: Int, isFragmented: Bool, breaks: Bool) {
        (
            Int.random(in: 1...4, using: &random), Int.random(in: 0..<4, using: &random) == 0,
            Int.random(in: 0..<1000, using: &random) < rate * 2
        )
    }
}
