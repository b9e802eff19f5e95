import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

extension HostileText {
    /// All texts.
    static let all = json + xml + binary + environment + variables + toml + yaml

    private static func list(_ count: Int, _ separator: String = "", _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: separator)
    }

    private static func text(_ count: Int, _ part: String) -> String { String(repeating: part, count: count) }

    // MARK: - JSON

    private static let json = [
        HostileText(.json, "a repeated name behind a long one", size: 1000) { size in
            #"{"\#(text(size, "long"))": {\#(list(size) { #""a\#($0)": 1, "# })"a0": 2}}"#
        },
        HostileText(.json, "a repeated name at the end", size: 400) { size in
            #"{\#(list(size) { #""a\#($0)": {"b": [1]}, "# })"a\#(size - 1)": 2}"#
        },
        HostileText(.json, "long names around others", size: 200) { size in
            let names = (0..<10).map { "\($0)" + text(size, "long") }
            return
                #"{"a": \#(names.map { #"{"\#($0)": "# }.joined()){\#(list(size, ", ") { #""b\#($0)": 1"# })}\#(text(11, "}"))"#
        },
        HostileText(.json, "one long name beside short ones", size: 100) { size in
            let members = { (name: String) in list(size) { #""\#(name)\#($0 + 100_000)": [1], "# } }
            return #"{\#(members("a"))"b\#(text(50 * size, "long"))": 2, \#(members("c"))"d": 1}"#
        },
        HostileText(.json, "one long name with escapes beside short ones", size: 100) { size in
            let members = { (name: String) in list(size) { #""\#(name)\#($0 + 100_000)": [1], "# } }
            return #"{\#(members("a"))"b\#(text(50 * size, #"\u0041"#))": 2, \#(members("c"))"d": 1}"#
        },
        HostileText(.json, "one name with many dots", size: 1000) { size in
            #"{"a": 1, "\#(list(size, ".") { _ in "a" })": {"b": 1}}"#
        },
        HostileText(.json, "names with escapes", size: 300) { size in
            #"{"a": 1\#(list(size) { #", "\u0061\#($0)": {"\u0062": 1}"# })}"#
        },
        HostileText(.json, "names that are null", size: 1000) { size in
            #"{"a": {\#(list(size, ", ") { #""a\#($0)": null"# })}\#(list(size) { #", "b\#($0)": null"# })}"#
        },
        HostileText(.json, "comments above and behind each member", size: 3000) { size in
            "{\n\(list(size) { "  // above\n  \"a\($0 + 100_000)\": 1, // behind\n" })\n}"
        },
        HostileText(.json, "a member with many comments", size: 500) { size in
            "{\(list(size) { "// \($0)\n\n/* a */ " })\"a\": 1\(text(size, "/**/ // a\n")), \"b\": 2}"
        },
        HostileText(.json, "a comment without an end behind many", size: 1000) { size in
            "{\(text(size, "/* a */ "))\"a\": 1 /* \(text(size, "/* "))"
        },
        HostileText(.json, "arrays at the deepest level", size: 15) { size in
            #"{\#(list(size, ", ") { #""a\#($0)": \#(text(128, "["))\#(text(128, "]"))"# })}"#
        },
        HostileText(.json, "an array too deep at the end", size: 30) { size in
            #"{\#(list(size) { #""a\#($0)": \#(text(128, "["))\#(text(128, "]")), "# })"b": \#(text(100 * size, "["))"#
        },
        HostileText(.json, "objects in arrays in objects", size: 200) { size in
            #"{"a": {"b": [\#(list(size, ", ") { #"{"c": {"d": [\#($0), {"e": 1}]}}"# })]}}"#
        },
        HostileText(.json, "long numbers and texts of escapes", size: 1000) { size in
            #"{"a": 0.\#(text(size, "0123")), "b": "\#(text(size, #"\ud83d\ude00\n"#))", "c": \#(text(size, "98"))}"#
        },
        HostileText(.json, "tagged values", size: 200) { size in
            #"{"a": [\#(list(size, ", ") { #"{"$data": "\#(text(30, "AAAA"))"}, {"$dictionary": {"$date": \#($0)}}"# })]}"#
        },
        HostileText(.json, "data that begin alike", size: 300) { size in
            let data = text(40, "AAAA")
            return
                #"{"a": [\#(list(size, ", ") { #"{"$data": "\#(data)\#(Data("\($0 + 100000)".utf8).base64EncodedString())"}"# })]}"#
        },
        HostileText(.json, "long texts that begin alike", size: 200) { size in
            #"{"a": [\#(list(size, ", ") { #""\#(text(40, "long"))\#($0)""# })]}"#
        },
    ]

    // MARK: - Property lists

    private static func xml(_ text: String) -> String { "<plist><dict>\(text)</dict></plist>" }

    private static let xml = [
        HostileText(.xml, "keys in many dictionaries", size: 200) { size in
            let depth = 100
            let keys = list(size) { "<key>a\($0)</key><true/>" }
            return xml("\(text(depth, "<key>a</key><dict>"))\(keys)\(text(depth, "</dict>"))")
        },
        HostileText(.xml, "keys in arrays behind a long one", size: 150) { size in
            xml(
                "<key>\(text(size, "long"))</key><array>\(list(size) { "<dict><key>a\($0)</key><array><true/></array></dict>" })</array>"
            )
        },
        HostileText(.xml, "a repeated key at the end", size: 200) { size in
            xml("\(list(size) { "<key>a\($0)</key><dict><key>b</key><true/></dict>" })<key>a0</key><true/>")
        },
        HostileText(.xml, "one long key beside short ones", size: 500) { size in
            xml("\(list(size) { "<key>a\($0)</key><true/>" })<key>b\(text(size, "long"))</key><true/>")
        },
        HostileText(.xml, "references, comments and character data in a text", size: 250) { size in
            xml("<key>a</key><string>\(text(size, "&amp;<!-- a --><?a b?><![CDATA[<]]>&#x41;"))</string>")
        },
        HostileText(.xml, "comments and instructions between elements", size: 250) { size in
            xml("<key>a</key>\(text(size, "<!-- a --> <?a b?>\n"))<array>\(text(size, "<!-- a --><true/>\n"))</array>")
        },
        HostileText(.xml, "a comment without an end behind many", size: 500) { size in
            xml("<key>a</key>\(text(size, "<!-- a --> ")) <!-- \(text(size, "<!-- "))")
        },
        HostileText(.xml, "declarations of entities", size: 1000) { size in
            "<!DOCTYPE a [\(list(size) { "<!ENTITY a\($0 + 1) '&a\($0);&a\($0);'>" })]>" + xml("")
        },
        HostileText(.xml, "data that begin alike", size: 300) { size in
            let data = text(40, "AAAA")
            return xml(
                "<key>a</key><array>\(list(size) { "<data>\(data)\(Data("\($0 + 100000)".utf8).base64EncodedString())</data>" })</array>"
            )
        },
        HostileText(.xml, "long numbers", size: 1000) { size in
            xml("<key>a</key><real>0.\(text(size, "0123"))</real>")
        },
    ]

    private static func binary(_ value: PropertyListTable) throws -> [UInt8] {
        try PropertyListData.encode(value, as: .binary)
    }

    private static let binary = [
        HostileText(.binary, "data that begin alike", size: 400) { size in
            let beginning = Data(repeating: 1, count: 90)
            return try binary(["a": .array((0..<size).map { .data(beginning + Data("\($0 + 100_000)".utf8)) })])
        },
        HostileText(.binary, "data that begin and end alike", size: 400) { size in
            let part = Data(repeating: 1, count: 90)
            return try binary(["a": .array((0..<size).map { .data(part + Data("\($0 + 100_000)".utf8) + part) })])
        },
        HostileText(.binary, "texts that begin alike", size: 1000) { size in
            try binary(["a": .array((0..<size).map { .string("\(text(40, "long"))\($0)") })])
        },
        HostileText(.binary, "one text in many places", size: 1000) { size in
            let long = PropertyListValue.string(text(100, "long"))
            return try binary(["a": .array((0..<size).map { [long, .integer(PropertyListInteger($0))] })])
        },
        HostileText(.binary, "one array in many places", size: 300) { size in
            let outer = [Int](repeating: 3, count: size)
            return BinaryPropertyListWriter.bytes(
                of: [
                    .dictionary(keys: [1], values: [2]), .scalar("a"), .array(outer), .array([4, 4, 4]), .scalar(true),
                ]
            )
        },
        HostileText(.binary, "long keys around others", size: 200) { size in
            let inner = PropertyListDictionary((0..<size).map { ("a\($0)", 1) })
            let value = (0..<20).reduce(PropertyListValue.dictionary(inner)) { [text(size, "\($1)"): $0] }
            return try binary(["a": value])
        },
    ]

    // MARK: - Variables and files of variables

    private static let environment = [
        HostileText(.environment, "names that begin alike", size: 100) { size in
            list(size) { "\(text(30, "A_"))\($0)=1\n" }
        },
        HostileText(.environment, "names of many levels", size: 4) { size in
            list(size) { "\(text(60, "A__"))B\($0)=1\n" }
        },
        HostileText(.environment, "one name of many words", size: 500) { size in
            "\(text(size, "A_"))B=1\n\(text(size, "A__"))B=2\nPORT=1"
        },
        HostileText(.environment, "a repeated name at the end", size: 500) { size in
            "\(list(size) { "A\($0)='1\n2' # a\n" })A0=1"
        },
        HostileText(.environment, "one long name beside short ones", size: 150) { size in
            "\(list(size) { "A\($0)=1\n" })\(text(size, "LONG"))=1"
        },
        HostileText(.environment, "a text of escapes without an end", size: 1000) { size in
            "A=\"\(text(size, "\\n\\$"))\"\nB=\\$\(text(size, "\\$ # "))\nC=\"\(text(size, "\"\nD='"))"
        },
    ]

    private static let variables = [
        HostileText(.variable, "parts between commas", size: 150) { size in list(size, ",") { " a\($0) = \($0) " } },
        HostileText(.variable, "parts that are no numbers", size: 10) { size in list(size, ",") { "a\($0) = b" } },
        HostileText(.variable, "parts with a repeated name", size: 200) { size in
            list(size, ",") { "a\($0)=\($0)" } + ",a0=1"
        },
        HostileText(.variable, "JSON text", size: 5) { size in
            "{\(list(size, ",") { "\"a\($0)\": {\"b\": [1, 2]}" })}"
        },
        HostileText(.variable, "JSON text with equal names", size: 5) { size in
            "{\(list(size, ",") { "\"a\($0)\": [\"e\u{301}\", \"é\"]" }), \"a0\": 1}"
        },
        HostileText(.variable, "JSON text with a long name", size: 3) { size in
            "{\"\(text(1000 * size, "long"))\": {\(list(size, ",") { "\"é\($0)\": [1e400]" })}}"
        },
        HostileText(.variable, "damaged JSON text", size: 100) { size in
            "{\(list(size) { "\"a\($0)\": [1, [2]], " })\"b\": \(text(size, "["))"
        },
        HostileText(.variable, "a long property list with unreadable parts", size: 80) { size in
            "{/*\(text(100 * size, "*"))*/ \(list(size) { "a\($0) = b; " })}"
        },
        HostileText(.variable, "a property list of the old style", size: 10) { size in
            "{\(list(size) { "a\($0) = (\($0), <0f bd>, \"\\U00e9\\n\"); /* a */ // b\n" })}"
        },
        HostileText(.variable, "a property list with a repeated name", size: 150) { size in
            "{\(list(size) { "a\($0) = 1; " })a0 = 1; }"
        },
        HostileText(.variable, "a damaged property list", size: 150) { size in
            "{\(list(size) { "a\($0) = 'b'; " })\(text(size, "c = ("))"
        },
        HostileText(.variable, "texts in quotes in texts", size: 500) { size in
            (0..<4).reduce("(\(list(size, ", ") { "\($0)" }))") { text, _ in
                "(\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\")"
            }
        },
        HostileText(.variable, "a long number", size: 2000) { size in "1.\(text(size, "0123"))" },
        HostileText(.variable, "a long date", size: 2000) { size in "2001-01-01T00:00:00.\(text(size, "0123"))Z" },
        HostileText(.variable, "combining marks", size: 2000) { size in
            "a\(text(size, "\u{301}")),b=\(text(size, "\u{301}"))"
        },
        HostileText(.variable, "an address of a user", size: 2000) { size in "\(text(size, "://"))\(text(size, "a:b@"))"
        },
    ]

    // MARK: - TOML and YAML

    private static let toml = [
        HostileText(.toml, "headers of many levels", size: 100) { size in
            list(size) { "[\(text(40, "a."))b\($0)]\n" }
        },
        HostileText(.toml, "headers in double brackets", size: 150) { size in
            list(size) { "[[a]]\n[[a.b]]\nc.d\($0) = 1\n" }
        },
        HostileText(.toml, "names with dots", size: 100) { size in
            list(size) { "a.b.c.d.e.f.g.h\($0).i = {j.k = [{l = 1}, 2]}\n" }
        },
        HostileText(.toml, "long names around others", size: 40) { size in
            "[\((0..<20).map { "\($0)\(text(size, "long"))" }.joined(separator: "."))]\n\(list(10 * size) { "a\($0) = 1\n" })"
        },
        HostileText(.toml, "a repeated name at the end", size: 500) { size in
            "\(list(size) { "a\($0) = [1,\n# a\n]\n" })a0 = 1"
        },
        HostileText(.toml, "a text without an end", size: 2000) { size in
            "a = \"\"\"\(text(size, "\\n\\\n  \"\" b"))"
        },
        HostileText(.toml, "long numbers and dates", size: 2000) { size in
            "a = 1_0.\(text(size, "0123"))\nb = 10:00:00.\(text(size, "0"))\nc = 2001-01-01T00:00:00.\(text(size, "1"))Z"
        },
        HostileText(.toml, "a bare value of combining marks", size: 2000) { size in "a = 1\(text(size, "\u{301}e."))" },
        HostileText(.toml, "arrays at the deepest level", size: 10) { size in
            list(size) { "a\($0) = \(text(126, "["))\(text(126, "]"))\n" }
        },
        HostileText(.toml, "one name of many levels", size: 1000) { size in "a = 1\n\(text(size, "b."))c = 1" },
        HostileText(.toml, "one name with many dots", size: 500) { size in "a = 1\n'\(text(size, "b."))c' = 1" },
    ]

    #if YAML
    private static let yaml = [
        HostileText(.yaml, "aliases of a large node", size: 100) { size in
            "a: &a [\(list(size, ", ") { "\($0)" })]\nb:\n\(text(size, "- *a\n"))"
        },
        HostileText(.yaml, "aliases of aliases", size: 10) { size in
            "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n\(list(size) { "a\($0 + 1): &a\($0 + 1) [\(text(10, "*a\($0), "))]\n" })"
        },
        HostileText(.yaml, "anchors", size: 150) { size in list(size) { "a\($0): &b\($0) {c: &c [1]}\n" } },
        HostileText(.yaml, "blocks and comments", size: 300) { size in
            list(size) { "a\($0): | # a\n  b\n\n\n  c\n# d\n" } + "b: >\n" + text(size, "\n") + "  c\n"
        },
        HostileText(.yaml, "a text of many lines", size: 1000) { size in
            "a: b\n\(text(size, "  c\n\n"))d: \"\(text(size, "  e\n"))\"\nf: [\(text(size, "g\n , "))]"
        },
        HostileText(.yaml, "lists of lists", size: 100) { size in
            "x:\n" + list(size) { "- a\($0): [{b: c}, [d]]\n  e:\n  - - f\n" }
        },
        HostileText(.yaml, "a collection too deep", size: 300) { size in "a: \(text(size, "[{a: "))" },
        HostileText(.yaml, "a block too deep", size: 100) { size in
            "a:\n" + list(size) { text($0 + 1, " ") + "a:\n" }
        },
        HostileText(.yaml, "a repeated name at the end", size: 200) { size in
            "\(list(size) { "a\($0): {b: 1}\n" })a0: 1"
        },
        HostileText(.yaml, "names with question marks", size: 150) { size in list(size) { "? a\($0)\n: b\n" } },
        HostileText(.yaml, "one long name beside short ones", size: 300) { size in
            "\(list(size) { "a\($0): 1\n" })? \(text(size, "long"))\n: 1"
        },
        HostileText(.yaml, "characters of several bytes", size: 200) { size in
            list(size) { "é\($0): [ü, \"ö\"] # ä\n" }
        },
        HostileText(.yaml, "long numbers and tags", size: 500) { size in
            "a: 0.\(text(size, "0123"))\nb: \(text(size, "98"))\nc: [\(text(size, "!!str a, "))]"
        },
    ]
    #else
    private static let yaml: [HostileText] = []
    #endif
}
