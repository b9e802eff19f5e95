import KeyspanCore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct LaunchArgumentsTests {
    @Test(
        arguments: [
            ([], [:]),
            (["program"], [:]),
            (["program", "-port", "8080"], ["port": "8080"]),
            (["-port", "8080", "-verbose", "YES"], ["port": "8080", "verbose": "YES"]),
            (["-a", "1", "file", "-b", "2"], ["a": "1", "b": "2"]),
            (["file", "other", "-a"], [:]),
            (["-a", "-b", "1"], ["b": "1"]),
            (["-", "x", "-a", "1"], ["a": "1"]),
            (["-a", "1", "-a", "2"], ["a": "2"]),
            (["-offset", "-5", "-ratio", "-1.5e3"], ["offset": "-5", "ratio": "-1.5e3"]),
            (["-a", "  spaced \n"], ["a": "spaced"]),
            (["-a", ""], ["a": ""]),
            (["-a", " "], ["a": ""]),
            (["-size.width", "1"], ["size.width": "1"]),
            (["-a", "ü 🦄"], ["a": "ü 🦄"]),
            (["-list", "(a, b)", "-a", "1"], ["list": ["a", "b"], "a": "1"]),
        ] as [([String], PropertyListTable)]
    )
    func `arguments are read as pairs`(_ arguments: [String], _ values: PropertyListTable) {
        #expect(LaunchArguments(arguments).values == values)
    }

    @Test(
        arguments: [
            ("(a, \"b c\")", ["a", "b c"]),
            (" ( 1 , ( ) ) ", ["1", []]),
            ("{cpu = 2; \"a b\" = (x);}", ["cpu": "2", "a b": ["x"]]),
            ("<0f BD>", .data(Data([0x0F, 0xBD]))),
            ("\"a b\"", "a b"),
            ("(a", "(a"),
            ("(a) b", "(a) b"),
            ("{a = 1; a = 2;}", "{a = 1; a = 2;}"),
            ("<b>bold</b>", "<b>bold</b>"),
            ("<plist><array/></plist>", "<plist><array/></plist>"),
            ("\"", "\""),
            ("[1]", "[1]"),
            ("a (b)", "a (b)"),
        ] as [(String, PropertyListValue)]
    )
    func `a value is a property list if it is written as one, and else text`(
        _ text: String,
        _ value: PropertyListValue
    ) {
        #expect(LaunchArguments(["-a", text]).values == ["a": value])
    }

    @Test func `a property list that no store can hold is text`() {
        for (levels, isText) in [
            (PropertyListValue.maximumNesting, false), (PropertyListValue.maximumNesting + 1, true),
        ] {
            let text = String(repeating: "(", count: levels) + String(repeating: ")", count: levels)
            #expect((LaunchArguments(["-a", text]).values["a"] == .string(text)) == isText)
        }
    }
}
