import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

@Suite
struct XMLPropertyListTests {
    @Test(
        arguments: [
            ("<string>a &lt;&amp;&#233;&#xE9;&quot;&apos;&gt; <![CDATA[<b>&amp;]]></string>", "a <&éé\"'> <b>&amp;"),
            ("<string/>", ""),
            ("<string>a\u{1}\0b\u{FFFF}&#2;<![CDATA[\u{B}]]></string>", "a\u{1}\0b\u{FFFF}\u{2}\u{B}"),
            ("<string>a<!-- c -->b\r\nc\rd</string>", "ab\r\nc\rd"), ("<true/>", true), ("<false></false>", false),
            ("<integer> -42 </integer>", -42), ("<integer>+0x1F</integer>", 31),
            ("<integer>-9223372036854775808</integer>", -9_223_372_036_854_775_808),
            ("<integer>18446744073709551615</integer>", .integer(PropertyListInteger(UInt64.max))),
            ("<real>1</real>", 1.0), ("<real>-0</real>", .real(-0.0)), ("<real>+infinity</real>", .real(.infinity)),
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
            // Processing instructions are passed over.
            ("<array><?a?><true/><?b?></array>", [true]), ("<string>a<?b c?>d</string>", "ad"),
            ("<dict><?a?><key>k<?b?></key><?c?><integer>1<?d?>2</integer></dict>", ["k": 12]),
            ("<string><![CDATA[<?a?>]]></string>", "<?a?>"), ("<true><?a?></true>", true),
            ("<string>&lt;?a?></string>", "<?a?>"),
        ] as [(String, PropertyListValue)]
    )
    func `an XML property list reads what the format has`(text: String, value: PropertyListValue) throws {
        #expect(try PropertyListData.parse(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?><?xml-stylesheet href=\"a.css\"?>\n<!-- c --><?a?><plist><dict/></plist>",
        "<?a b?><plist><dict/></plist>", "<!DOCTYPE plist><?a <plist>?><plist><dict/></plist>",
        "<plist><?a?><dict/><?b?></plist>", "<plist><dict/></plist><?a?>\n<?b ??>\n",
        "<dict><?a?></dict>", "<?é x?><dict/>", "<?:a-b.c_1 x>?><dict/>",
    ])
    func `an XML property list passes over processing instructions`(text: String) throws {
        #expect(try PropertyListData.parse(Array(text.utf8)) == [:])
        #expect(try PropertyListData.parseTable(Array(text.utf8)) == [:])
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
    func `an XML property list refuses anything but a property list`(text: String) {
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ("", 1, 1, "no text"), ("{}", 1, 1, "neither"),
            ("<array>\n  <integer>one</integer>\n</array>", 2, 3, "<integer>"),
            ("\u{FEFF}<dict>\r\n<kéy/></dict>", 2, 1, "no element"),
            ("<dict><key>a</key><true/>\n<key>a</key><true/></dict>", 2, 1, "already"),
            ("<array>\n<real>1e-400</real></array>", 2, 1, "range"), ("<real>-1e400</real>", 1, 1, "range"),
            ("<real> 12345678901234567890.0 </real>", 1, 1, "digits"),
            ("<real>9007199254740993</real>", 1, 1, "digits"), ("<real>0x1p3</real>", 1, 1, "no value"),
            ("<string>a", 1, 1, "no end"), ("<array><string>&nbsp;</string></array>", 1, 16, "reference"),
            // Malformed processing instructions.
            ("<dict/>\n<?a", 2, 1, "no end"), ("<dict/><?a x>", 1, 8, "no end"), ("<dict/><? a?>", 1, 10, "name"),
            ("<dict/><?xml version=\"1.0\"?>", 1, 8, "beginning"), ("<dict/><?XmL?>", 1, 8, "beginning"),
            ("<?xml version=\"1.0\"?><?xml version=\"1.0\"?><dict/>", 1, 22, "beginning"),
            ("<?1?><dict/>", 1, 3, "name"),
            ("<dict ?a?></dict>", 1, 7, "expected `>`"), ("<string>a<?b </string>", 1, 10, "no end"),
        ] as [(String, Int, Int, String)]
    )
    func `an XML property list says where a text is wrong, and what is wrong`(
        text: String,
        line: Int,
        column: Int,
        words: String
    ) {
        let error = #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(Array(text.utf8)) }
        #expect(error?.place == .text(line: line, column: column))
        #expect(error?.format == .xml)
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    @Test(
        arguments: [
            [0xFF, 0xFE, 0x3C, 0x00], [0xFE, 0xFF, 0x00, 0x3C], [0x3C, 0x00, 0x3F, 0x00], [0x00, 0x3C, 0x00, 0x3F],
            [0x00, 0x00, 0x00, 0x00],
        ] as [[UInt8]]
    )
    func `an XML property list refuses other encodings and no text at all, and says what to do`(bytes: [UInt8]) {
        let error = #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(bytes) }
        #expect(error?.remedy?.contains(bytes[1] == 0 && bytes[0] == 0 ? "power failure" : "UTF-8") == true)
    }

    @Test func `an XML property list refuses bytes that are not UTF-8`() {
        let bytes = Array("<array>\n<string>a".utf8) + [0xC3, 0x28] + Array("</string></array>".utf8)
        let error = #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(bytes) }
        #expect(error?.place == .text(line: 2, column: 10))
    }

    @Test func `an XML property list is laid out as Apple's tools do`() throws {
        let value: PropertyListValue = [
            "b": [1, -2.5, true, [:]], "a & b": "<\r>", "date": .date(Date(timeIntervalSinceReferenceDate: -0.25)),
            "data": .data(Data([1, 2])), "empty": "", "nan": .real(.nan), "inf": .real(-.infinity),
        ]
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>a &amp; b</key>
            \t<string>&lt;&#13;&gt;</string>
            \t<key>b</key>
            \t<array>
            \t\t<integer>1</integer>
            \t\t<real>-2.5</real>
            \t\t<true/>
            \t\t<dict/>
            \t</array>
            \t<key>data</key>
            \t<data>AQI=</data>
            \t<key>date</key>
            \t<date>2000-12-31T23:59:59Z</date>
            \t<key>empty</key>
            \t<string></string>
            \t<key>inf</key>
            \t<real>-infinity</real>
            \t<key>nan</key>
            \t<real>nan</real>
            </dict>
            </plist>

            """
        #expect(String(decoding: try PropertyListData.encode(value, as: .xml), as: UTF8.self) == text)
    }

    @Test(
        arguments: [
            .string("\u{1}"), .string("\0"), .string("\u{FFFF}"), .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .date(Date(timeIntervalSinceReferenceDate: 1e15)),
        ] as [PropertyListValue]
    )
    func `an XML property list is not written of what XML cannot hold`(value: PropertyListValue) {
        let error = #expect(throws: ValueEncodingError.self) {
            try PropertyListData.encode(.dictionary(["k": [1, value]]), as: .xml)
        }
        #expect(error?.path == ValuePath([.name("k"), .index(1)]))
        #expect(throws: Never.self) { try PropertyListData.encode(.dictionary(["k": [1, value]]), as: .binary) }
        #expect(throws: ValueEncodingError.self) {
            try PropertyListData.encode(["\u{2}": 1] as PropertyListTable, as: .xml)
        }
    }

    @Test(arguments: [0.0, -0.0, -0.25, 0.25, 1e9 + 0.5, -62_700_000_000.5])
    func `an XML property list has dates to the whole second before them`(interval: Double) throws {
        let bytes = try PropertyListData.encode(.date(Date(timeIntervalSinceReferenceDate: interval)), as: .xml)
        let date = try PropertyListData.parse(bytes)
        #expect(date == .date(Date(timeIntervalSinceReferenceDate: interval.rounded(.down) + 0)))
    }
}
