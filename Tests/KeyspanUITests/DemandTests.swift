import Testing

@testable import KeyspanUI

@Suite struct DemandTests {
    @Test(arguments: [
        ([Demand](), 0),
        ([.max(2)], 2),
        ([.max(2), .none, .max(1)], 3),
        ([.max(0)], 0),
    ])
    func `as many elements are taken as were asked for in all`(requests: [Demand], count: Int) {
        var demand = Demand.none
        for request in requests { demand += request }
        let taken = (0..<10).map { _ in demand.take() }
        #expect(taken == (0..<10).map { $0 < count })
        #expect(demand == .none)
    }

    @Test(arguments: [
        [Demand.unlimited],
        [.unlimited, .max(1)],
        [.max(1), .unlimited],
        [.max(.max), .max(1)],
    ])
    func `no limit stays no limit`(requests: [Demand]) {
        var demand = Demand.none
        for request in requests { demand += request }
        #expect((0..<3).allSatisfy { _ in demand.take() })
        #expect(demand == .unlimited)
    }
}
