import Testing

@testable import KeyspanUI

@Suite struct DemandBufferTests {
    /// All that a delivery hands over to a receiver who asks for nothing more.
    private func deliver(_ buffer: inout DemandBuffer<Int>) -> [Int] {
        var delivered: [Int] = []
        var next = buffer.beginDelivery()
        while let element = next {
            delivered.append(element)
            next = buffer.nextDelivery(demanding: .none)
        }
        return delivered
    }

    @Test func `elements wait for demand and keep their order`() {
        var buffer = DemandBuffer<Int>()
        for element in 1...5 { buffer.append(element) }
        #expect(deliver(&buffer).isEmpty)
        buffer.request(.max(2))
        #expect(deliver(&buffer) == [1, 2])
        buffer.append(6)
        #expect(deliver(&buffer).isEmpty)
        buffer.request(.unlimited)
        #expect(deliver(&buffer) == [3, 4, 5, 6])
        buffer.append(7)
        #expect(deliver(&buffer) == [7])
    }

    @Test func `demand waits for elements`() {
        var buffer = DemandBuffer<Int>()
        buffer.request(.max(2))
        #expect(deliver(&buffer).isEmpty)
        for element in 1...3 { buffer.append(element) }
        #expect(deliver(&buffer) == [1, 2])
    }

    @Test func `one delivery serves what comes while it is under way`() {
        var buffer = DemandBuffer<Int>()
        buffer.append(1)
        buffer.request(.max(1))
        #expect(buffer.beginDelivery() == 1)
        buffer.append(2)
        buffer.append(3)
        buffer.append(4)
        buffer.request(.max(1))
        #expect(buffer.beginDelivery() == nil)
        #expect(buffer.nextDelivery(demanding: .none) == 2)
        #expect(buffer.nextDelivery(demanding: .max(1)) == 3)
        #expect(buffer.nextDelivery(demanding: .none) == nil)
        buffer.request(.max(1))
        #expect(buffer.beginDelivery() == 4)
    }

    @Test(arguments: [false, true])
    func `nothing is handed over after the end`(isDelivering: Bool) {
        var buffer = DemandBuffer<Int>()
        buffer.append(1)
        buffer.append(2)
        buffer.request(.unlimited)
        if isDelivering { #expect(buffer.beginDelivery() == 1) }
        buffer.end()
        #expect(buffer.isOver)
        #expect(buffer.nextDelivery(demanding: .unlimited) == nil)
        buffer.append(3)
        #expect(buffer.beginDelivery() == nil)
    }
}
