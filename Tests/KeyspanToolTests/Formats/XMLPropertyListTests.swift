import Foundation
import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct XMLPropertyListTests {
    @Test(
        arguments: [
            ("<string>a &lt;&amp;&#233;&#xE9;&quot;&apos;&gt; <![CDATA[<b>&amp;]]></string>", "a <&éé\"'> <b>&amp;"),
            ("<string/>", ""),
            ("<string>a<!-- c -->b\r\nc\rd</string>", "ab\nc\nd"),
            ("<true/>", true),
            ("<false></false>", false),
            ("<integer> -42 </integer>", -42),
            ("<integer>+0x1F</integer>", 31),
            ("<integer>-9223372036854775808</integer>", -9_223_372_036_854_775_808),
            ("<integer>18446744073709551615</integer>", .integer(PropertyListInteger(UInt64.max))),
            ("<real>1</real>", 1.0),
            ("<real>-0</real>", .real(-0.0)),
            ("<real>+infinity</real>", .real(.infinity)),
            ("<date>2001-01-01T00:00:01Z</date>", .date(Date(timeIntervalSinceReferenceDate: 1))),
            ("<data>\n\tAQI=\n\t</data>", .data(Data([1, 2]))),
            ("<array><string>$null</string><array/></array>", ["$null", []]),
            ("<dict><key>a</key><integer>1</integer></dict>", ["a": 1]),
            (
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <!-- by hand -->
                <plist version="1.0"><dict/></plist>

                """, [:]
            ),
        ] as [(String, PropertyListValue)]
    )
    func `reads what the format has`(text: String, value: PropertyListValue) throws {
        #expect(try XMLPropertyListReader.parse(text) == value)
    }

    @Test(arguments: [
        "", "<plist/>", "<plist><dict></plist>", "<dict><string>no key</string></dict>", "<dict><key>a</key></dict>",
        "<array>", "<array/><array/>", "<string>&nbsp;</string>", "<string>open", "<key>a</key>", "<null/>",
        "<integer>1.5</integer>", "<integer>18446744073709551616</integer>", "<integer/>", "<integer>0x-1</integer>",
        "<integer>-9223372036854775809</integer>", "<real>1e999</real>", "<real>x</real>", "<true>1</true>",
        "<date>yesterday</date>", "<data>A</data>", "<dict><key>a</key><true/><key>a</key><true/></dict>",
        "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><string>&a;</string>", "<string a=\"b\"/>", "<!-- open",
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><dict/>",
    ])
    func `refuses what is no property list`(text: String) {
        #expect(throws: TextFormatError.self) { try XMLPropertyListReader.parse(text) }
    }

    @Test func `says where a text is wrong`() {
        let error = #expect(throws: TextFormatError.self) {
            try XMLPropertyListReader.parse("<array>\n  <integer>one</integer>\n</array>")
        }
        #expect(error == TextFormatError(reason: "the text of <integer> is no value of that kind", line: 2, column: 3))
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `reads back what it wrote`(seed: UInt64) throws {
        var random = RandomValue(.xml, seed: seed)
        let value = random.value()
        let writer = try XMLPropertyListWriter(value)
        #expect(try XMLPropertyListReader.parse(writer.text) == value)
        #expect(writer.droppedFractions.isEmpty)
    }

    @Test func `tells where a date lost its fraction`() throws {
        let date = Date(timeIntervalSinceReferenceDate: -0.25)
        let writer = try XMLPropertyListWriter([
            "a": [.date(date)], "b": .date(Date(timeIntervalSinceReferenceDate: 1)),
        ])
        #expect(writer.droppedFractions == [ValuePath([.name("a"), .index(0)])])
        #expect(writer.text.contains("<date>2000-12-31T23:59:59Z</date>"))
    }

    @Test(
        arguments: [
            .string("\u{1}"), .string("\0"), .string("\u{FFFF}"), .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .date(Date(timeIntervalSinceReferenceDate: 1e15)),
        ] as [PropertyListValue]
    )
    func `refuses what XML cannot hold`(value: PropertyListValue) {
        let error = #expect(throws: UnwritableValueError.self) { try XMLPropertyListWriter(["k": value]) }
        #expect(error?.path == ValuePath([.name("k")]))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `survives a round trip through Foundation`(seed: UInt64) throws {
        let value = FoundationOracle.value(seed: seed)
        let text = try XMLPropertyListWriter(value).text
        let theirs = try FoundationOracle.rewritten(Array(text.utf8), as: .xml)
        #expect(try XMLPropertyListReader.parse(String(decoding: theirs, as: UTF8.self)) == value)
    }
}
