@_spi(StoreAuthors) @testable package import KeyspanCore

extension Fuzzing {
    /// Checks that each value of a text is found in it: at its name or beginning, or at that of the value around it.
    ///
    /// - Parameters:
    ///   - table: The values of the text.
    ///   - text: The text.
    ///   - find: Finds the places of values.
    package static func checkPlaces(
        in table: PropertyListTable,
        of text: [UInt8],
        _ find: ([ValuePath]) throws -> [(line: Int, column: Int)?]?
    ) {
        let wanted = table.flatMap { paths(to: $1, at: [.name($0)]) }
        guard let places = try? find(wanted) else { return check(false, "the values of a valid text have no places") }
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (path, place) in zip(wanted, places) {
            guard let place, lines.indices.contains(place.line - 1) else {
                check(false, "a value is not found: \(path)")
                continue
            }
            // Every scalar has exactly one byte that is not a continuation byte.
            let columns = lines[place.line - 1].count { $0 & 0xC0 != 0x80 }
            check(1 <= place.column && place.column <= columns, "a value is found outside of its line: \(path)")
        }
    }

    private static func paths(to value: PropertyListValue, at steps: [ValuePath.Step]) -> [ValuePath] {
        let inner: [ValuePath] =
            switch value {
            case .array(let elements):
                elements.enumerated().flatMap { paths(to: $1, at: steps + [.index($0)]) }
            case .dictionary(let members): members.flatMap { paths(to: $1, at: steps + [.name($0)]) }
            default: []
            }
        return [ValuePath(steps)] + inner
    }
}
