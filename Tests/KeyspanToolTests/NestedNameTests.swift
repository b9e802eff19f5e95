import Keyspan
import KeyspanCore
import Testing

@testable import KeyspanTool

@Suite struct NestedNameTests {
    private static let members: PropertyListDictionary = [
        "host": "x", "tls": ["port": 443, "client": ["n": 1], "a.b": 2], "smtp.client": ["port": 25],
        "tagged": ["$x": 1],
        "servers": [["host": 1]], "tls.cert": "dotted",
    ]

    @Test(
        arguments: [
            ("tls.port", 443), ("tls.client.n", 1), ("tls.client", ["n": 1]), ("tls.a.b", 2), ("smtp.client.port", 25),
            ("tls.cert", "dotted"), ("host", "x"), ("host.x", nil), ("servers.0.host", nil), ("tagged.$x", nil),
            ("tls.", nil),
            (".tls", nil), ("tls..port", nil), ("TLS.port", nil), ("", nil),
        ] as [(String, PropertyListValue?)]
    )
    func `finds a value through dictionaries`(name: String, value: PropertyListValue?) {
        #expect(table(Self.members)[name] == value)
    }

    @Test(
        arguments: [
            (["a": ["b": 1], "a.b": 2], 2), (["a": ["b": ["c": 1]], "a.b": ["c": 2]], nil),
            (["a": ["b": ["c": 1], "b.c": 3]], 3),
        ] as [(PropertyListDictionary, PropertyListValue?)]
    )
    func `takes the value in the fewest dictionaries`(members: PropertyListDictionary, value: PropertyListValue?) {
        let name = members.keys.contains("a.b") && value == 2 ? "a.b" : "a.b.c"
        #expect(table(members)[name] == value ?? 2)
    }

    private func table(_ members: PropertyListDictionary) -> PropertyListTable {
        var table = PropertyListTable(members)
        table.naming = NestedNaming()
        return table
    }

    @Test(
        arguments: [
            ("a.b", [:], false), ("a.b", ["a": [:]], true), ("a.b", ["x": ["y": 1]], true), ("a.b", ["x.y": 1], false),
            ("a.b", ["x": ["y": 1], "u.v": 1], false), ("a.b", ["x": ["y": 1], "z": ["y": 1], "u.v": 1], true),
            ("a.b", ["x": [:]], false), ("a.b", ["keyspan.kept": ["k": 1]], false), ("a.b", ["x": [1]], false),
        ] as [(String, PropertyListDictionary, Bool)]
    )
    func `follows the shape of the file for a new value`(name: String, members: PropertyListDictionary, isNested: Bool)
        throws
    {
        #expect(try #require(NestedName(name)).isNested(besides: members) == isNested)
    }

    @Test func `lists nested names with those of their dictionaries`() {
        #expect(
            NestedName.few(in: table(Self.members), isNested: true) == [
                "host", "servers", "smtp.client", "smtp.client.port", "tagged", "tls", "tls.a.b", "tls.cert",
                "tls.client", "tls.client.n", "tls.port",
            ]
        )
        #expect(NestedName.few(in: table(Self.members), isNested: false).count == Self.members.count)
    }

    @Test(arguments: [1000, 1001], [false, true])
    func `lists no more than a thousand`(count: Int, isNested: Bool) {
        let names = PropertyListDictionary((1...(isNested ? count - 1 : count)).map { ("name\($0)", 1) })
        let members: PropertyListDictionary = isNested ? ["group": .dictionary(names)] : names
        #expect(NestedName.few(in: table(members), isNested: true).count == (count > 1000 ? 0 : count))
    }
}
