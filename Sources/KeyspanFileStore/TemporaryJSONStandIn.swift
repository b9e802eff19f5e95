import KeyspanCore

public struct JSONTextError: Error {}
extension JSONText {
    static func parseTable(_ bytes: [UInt8]) throws -> PropertyListTable {
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "\n") else { throw JSONTextError() }
        var table = PropertyListTable()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.contains(" : ") {
            let parts = line.split(separator: "\""); guard parts.count > 3 else { throw JSONTextError() }
            table[String(parts[1])] = .string(String(parts[3]))
        }
        return table
    }
    static func encode(_ table: PropertyListTable) -> [UInt8] {
        Array(
            ("{\n" + table.sortedKeys.map { "  \"\($0)\" : \"\(table[$0].map { "\($0)" } ?? "")\"\n" }.joined() + "}\n")
                .utf8
        )
    }
}
