import KeyspanCore
import Testing

@testable import KeyspanFileStore

@Suite struct PendingReadingTests {
    private var reading = PendingReading()

    private func make(_ number: Int) -> FileReading {
        FileReading(table: ["number": .init(number)], written: nil)
    }

    private func number(of reading: FileReading?) -> PropertyListValue? { reading?.table["number"] }

    @Test mutating func `a thread that comes while another moves memory leaves the newer reading to it`() {
        reading.pending = make(1)
        let first = reading.begin()
        reading.pending = make(2)
        let (other, second) = (reading.begin(), reading.next())
        let end = reading.next()
        #expect([first, other, second, end].map(number) == [1, nil, 2, nil])
        reading.pending = make(3)
        let third = reading.begin()
        #expect(number(of: third) == 3)
    }
}
