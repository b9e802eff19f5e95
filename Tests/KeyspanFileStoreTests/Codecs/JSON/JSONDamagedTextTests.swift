@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite
struct JSONDamagedTextTests {
    private static let document: [UInt8] = Array(
        """
        {
          "backup": {"$data": "aGVsbG8="},
          "empty": [{}, []],
          "escapes": "\\"\\\\\\u00e9\\ud83d\\ude00 é漢😀",
          "last": {"$date": "2026-11-21T10:50:00.123457Z"},
          "limits": [-9223372036854775808, 18446744073709551615, 1.5e-7, -0.0],
          "look-alike": {"$dictionary": {"$real": "nan"}},
          "nothing": null,
          "on": true, "off": false
        }
        """.utf8
    )

    @Test func `the document itself is read`() throws {
        #expect(try JSONText.parseTable(Self.document).count == 8)
    }

    @Test func `every document that is cut off is refused`() throws {
        for length in 0..<Self.document.count {
            let cut = Array(Self.document.prefix(length))
            #expect(throws: JSONTextError.self, "\(length) bytes") { try JSONText.parse(cut) }
            #expect(throws: JSONTextError.self, "\(length) bytes") { try JSONText.parseTable(cut) }
        }
    }

    @Test func `a document with one other byte is refused or reads back as what it became`() throws {
        for index in Self.document.indices {
            let flipped = (0..<8).map { Self.document[index] ^ (1 << $0) }
            for byte in flipped + Array("\"\\{}[],:0-eu\n\u{0}".utf8) {
                var damaged = Self.document
                damaged[index] = byte
                let value: PropertyListValue
                do {
                    value = try JSONText.parse(damaged)
                } catch {
                    #expect(error.line >= 1 && error.line <= 11 && error.column >= 1, "\(byte) at \(index)")
                    continue
                }
                #expect(try JSONText.parse(try JSONText.encode(value)) == value, "\(byte) at \(index)")
            }
        }
    }

    @Test(arguments: (0..<50).map { _ in UInt64.random(in: .min ... .max) })
    func `random tokens are rejected or read back as what they are`(seed: UInt64) throws {
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"$date\"", "\"$dictionary\"", "1", "-0", "1e5", "null", "true",
            " ",
            "{\"$dictionary\":", "\"", "\\", "[]", "{}",
        ]
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let text = (0..<Int.random(in: 1...12, using: &generator))
                .map { _ in tokens.randomElement(using: &generator) ?? "" }.joined()
            guard let value = try? JSONText.parse(Array(text.utf8)) else { continue }  // Any refusal will do.
            #expect(try JSONText.parse(try JSONText.encode(value)) == value, "seed \(seed): \(text)")
        }
    }
}
