import Testing

@testable import KeyspanTool

@Suite struct DamagedTextTests {
    private static let documents = [
        #"{a = 1; "b\U00e9\n" = (x, 'y', <0fbd 77>, {}); /* c */ d; } // end"#,
        "<?xml version=\"1.0\"?><!DOCTYPE plist><plist version=\"1.0\"><dict><key>a</key><array><real>1</real><true/>"
            + "<string>&#233;<![CDATA[x]]></string><date>2026-11-21T10:50:00Z</date><data>AQI=</data></array></dict>"
            + "</plist>",
        #"{"a": [1, 2.5e3, true, null], "b\u00e9": {"$date": "2026-11-21T10:50:00Z"}}"#,
    ]

    @Test(arguments: documents, 0..<10 as Range<UInt64>)
    func `is a value or an error, whatever the damage`(document: String, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = Array(document.utf8)
        for _ in 0..<100 {
            var damaged = bytes
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: damaged[place] = UInt8.random(in: 0..<0x80, using: &generator)
            case 1: damaged.removeSubrange(place...)
            default: damaged.insert(contentsOf: bytes[place...].prefix(7), at: place)
            }
            let text = String(decoding: damaged, as: UTF8.self)
            do {
                _ = try PropertyListText.parse(text)
            } catch {
                #expect(!error.reason.isEmpty && !error.reason.hasSuffix("."))
            }
        }
    }
}
