#if Remote
import KeyspanCore
import Testing

@testable import KeyspanRemote

@Suite
struct EventReaderTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let events: [(type: String, data: String)]

        var testDescription: String { text.debugDescription }
    }

    private static let samples = [
        Sample(text: "data: a\n\n", events: [("message", "a")]),
        Sample(text: "\u{FEFF}data: a\n\n", events: [("message", "a")]),
        Sample(text: "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", events: [("message", "b")]),
        Sample(
            text: "data: a\r\rdata: b\r\n\r\ndata: c\n\n",
            events: [("message", "a"), ("message", "b"), ("message", "c")]
        ),
        Sample(text: ":comment\n:\n\ndata: a\n\n", events: [("message", "a")]),
        Sample(text: "data: YHOO\ndata: +2\ndata: 10\n\n", events: [("message", "YHOO\n+2\n10")]),
        Sample(text: "data\n\ndata\ndata\n\ndata:", events: [("message", ""), ("message", "\n")]),
        Sample(text: "data:test\n\ndata: test\n\n", events: [("message", "test"), ("message", "test")]),
        Sample(text: "data:  two\n\n", events: [("message", " two")]),
        Sample(text: "id: 1\nevent: x\ndata: a\n\ndata: b\n\n", events: [("x", "a"), ("message", "b")]),
        Sample(text: "id: 1\ndata: a\n\nid\ndata: b\n\n", events: [("message", "a"), ("message", "b")]),
        Sample(
            text: "id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n",
            events: [("message", "a"), ("message", "b")]
        ),
        Sample(text: "event: x\n\ndata: a\n\n", events: [("message", "a")]),
        Sample(text: "retry: 10\nother: 1\nDATA: no\ndata: é€😀\n\n", events: [("message", "é€😀")]),
        Sample(text: "data: not complete", events: []),
    ]

    private func events(_ chunks: [[UInt8]]) throws -> [ServerEvent] {
        var reader = EventReader(limit: 1 << 10)
        return try chunks.flatMap { try reader.read($0) }
    }

    @Test(arguments: samples)
    func `a stream reads the same, wherever its chunks end`(_ sample: Sample) throws {
        let bytes = Array(sample.text.utf8)
        let expected = sample.events.map { ServerEvent(type: $0.type, data: Array($0.data.utf8)) }
        #expect(try events([bytes]) == expected)
        #expect(try events(bytes.map { [$0] }) == expected)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
                #expect(try events(chunks) == expected)
            }
        }
    }

    @Test func `a line and an event are bounded`() throws {
        var reader = EventReader(limit: 100)
        #expect(throws: EventReader.TooLarge.self) {
            for _ in 0..<20 { _ = try reader.read(Array(repeating: UInt8(ascii: "a"), count: 10)) }
        }
        var other = EventReader(limit: 100)
        #expect(throws: EventReader.TooLarge.self) {
            for _ in 0..<20 { _ = try other.read(Array("data: 0123456789\n".utf8)) }
        }
        var comments = EventReader(limit: 100)
        for _ in 0..<1_000 { #expect(try comments.read(Array(":\n\n".utf8)).isEmpty) }
        // Bytes that never become a line are none.
        #expect(try comments.read(Array("data: a".utf8)).isEmpty)
        #expect(comments.lineCount == 2_000)
    }
}
#endif
