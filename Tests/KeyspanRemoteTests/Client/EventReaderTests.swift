#if Remote
import KeyspanCore
import Testing

@testable import KeyspanRemote

@Suite
struct EventReaderTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let data: [String]

        var testDescription: String { text.debugDescription }
    }

    private static let samples = [
        Sample(text: "event: changed\ndata: a 0\n\n", data: ["a 0"]),
        Sample(text: "event:changed\rdata: a\r\revent: changed\ndata: b\r\n\r\n", data: ["a", "b"]),
        Sample(text: ":comment\n:\n\nevent: changed\ndata: a\n\n", data: ["a"]),
        Sample(text: "data: a\n\nevent: other\ndata: b\n\nevent: changed\ndata: c\n\n", data: ["c"]),
        Sample(text: "event: changed\ndata\n:data: x\ndata:\ndata:test\n\n", data: ["", "test"]),
        Sample(text: "id: 1\nevent: changed\nretry: 10\nDATA: no\n data: no\ndata: é€😀\n\n", data: ["é€😀"]),
        Sample(text: "event: changed\ndata: not complete", data: []),
    ]

    private func data(_ chunks: [[UInt8]]) throws -> [String] {
        var reader = EventReader(limit: 1 << 10)
        return try chunks.flatMap { try reader.read($0) }.map { String($0) }
    }

    @Test(arguments: samples)
    func `a stream reads the same, wherever its chunks end`(_ sample: Sample) throws {
        let bytes = Array(sample.text.utf8)
        #expect(try data([bytes]) == sample.data)
        #expect(try data(bytes.map { [$0] }) == sample.data)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let chunks = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
                #expect(try data(chunks) == sample.data)
            }
        }
    }

    @Test func `a line is bounded, and the number of lines is not`() throws {
        var reader = EventReader(limit: 100)
        let error = #expect(throws: RemoteStoreError.self) {
            for _ in 0..<11 { _ = try reader.read(Array(repeating: UInt8(ascii: "a"), count: 10)) }
        }
        #expect(error?.kind == .tooLarge)
        var other = EventReader(limit: 100)
        _ = try other.read(Array("event: changed\n".utf8))
        for _ in 0..<1_000 { #expect(try other.read(Array("data: 0123456789\n:\n\n".utf8)).count == 1) }
    }

    @Test func `a chunk without the end of a line is no sign of life`() throws {
        var reader = EventReader(limit: 100)
        for (text, hasLine) in [
            ("data: a", false), ("b\n", true), ("c", false), ("\r", true), (":\n\n", true), ("", false),
        ] {
            _ = try reader.read(Array(text.utf8))
            #expect(reader.hasLine == hasLine, "\(text.debugDescription)")
        }
    }
}
#endif
