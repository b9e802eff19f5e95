import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

/// The places of parts of values in a file.
@Suite struct PlaceTests {
    private static let json = """
        {"a.b": [1, {"x": 0}],
          "a": {"c": {"d": 1}, "e":
            null, "b": [2]},
          "t": {"$data": "AQ=="}, "u": {"\\u0078": {"$dictionary": {"$data": 5}}},
          "ü": ["ü", "y"], "ǘ": 1
        }
        """
    private static let xml = """
        <plist><dict><key>a.b</key><array><integer>1</integer><dict>
        <key>x</key><integer>0</integer></dict></array>
        <key>l</key><array><array/><array>
          <!-- the second --> <true/></array></array>
        <key>a</key><dict><key>c</key><dict><key>d</key><integer>1</integer></dict></dict>
        </dict></plist>
        """

    private func places(_ codec: some FileCodec, _ text: String, _ paths: [ValuePath]) throws -> [String] {
        let bytes = Array(text.utf8)
        let places = try codec.places(of: paths, in: codec.decode(bytes), bytes)
        return try #require(places).map { place in place.map { "\($0.line):\($0.column)" } ?? "–" }
    }

    private func path(_ steps: Any...) -> ValuePath {
        ValuePath(steps.compactMap { ($0 as? Int).map { .index($0) } ?? ($0 as? String).map { .name($0) } })
    }

    @Test func `a part of a JSON text has its own place, or that of the part around it`() throws {
        let found = try places(
            JSONFileCodec(),
            Self.json,
            [
                path("a.b"), path("a.b", 0), path("a.b", 1), path("a.b", 1, "x"), path("a.b", 1, "none", 3),
                path("a.b", 2),
                path("a", "c", "d"), path("a", "e"), path("none"), path(), path(0), path("t", "$data"),
                path("t", "other"),
                path("u", "x", "$dictionary", "$data"), path("ü", 1), path("u\u{308}", 1), path("a", "c", "d", 0),
                path("a.b", 1, "x"),
            ]
        )
        #expect(
            found == [
                "1:2", "1:10", "1:13", "1:14", "1:13", "1:2", "2:15", "2:24", "–", "–", "–", "4:9", "4:3", "4:60",
                "5:14",
                "–",
                "2:15", "1:14",
            ]
        )
    }

    @Test func `a part of an XML property list has its own place, or that of the part around it`() throws {
        let found = try places(
            PropertyListFileCodec(nil),
            Self.xml,
            [
                path("a.b"), path("a.b", 0), path("a.b", 1, "x"), path("a.b", 1, "none"), path("l", 1), path("l", 1, 0),
                path("l", 1, 1), path("a", "c", "d"), path("none"), path(),
            ]
        )
        #expect(found == ["1:14", "1:35", "2:1", "1:55", "3:28", "4:23", "3:28", "5:37", "–", "–"])
        let members = try PropertyListFileCodec(nil).decode(Array(Self.xml.utf8))
        let binary = try PropertyListData.encode(members, as: .binary)
        #expect(try PropertyListFileCodec(nil).places(of: [path("l")], in: members, binary) == nil)
    }

    @Test func `a value that the file does not have has no place`() throws {
        let bytes = Array(Self.json.utf8)
        let table: PropertyListTable = ["a.b": [1, ["x": 1]], "t": .data(Data([1]))]
        let places = try JSONFileCodec().places(of: [path("a.b", 1, "x"), path("t")], in: table, bytes)
        #expect(places == [nil, LineAndColumn(line: 4, column: 3)])
    }
}
