import Foundation
import Keyspan

/// Foundation's own reader and writer of property lists, to compare with.
enum FoundationOracle {
    /// A document after Foundation has read and written it.
    static func rewritten(_ bytes: [UInt8], as format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
        let object = try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
        return Array(try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0))
    }

    /// A value of kinds that Foundation keeps apart: reals have fractions, and integers fit `Int64`.
    static func value(seed: UInt64) -> PropertyListValue {
        var generator = SeededGenerator(seed: seed)
        func integer() -> PropertyListValue {
            .integer(PropertyListInteger(Int64.random(in: .min ... .max, using: &generator) >> Int64(seed % 60)))
        }
        func date() -> PropertyListValue {
            .date(
                Date(
                    timeIntervalSinceReferenceDate: Double(Int.random(in: -9_999_999...999_999_999, using: &generator))
                )
            )
        }
        return [
            "boolean": [true, false],
            "integers": [integer(), integer(), 0, 1, 255, 256, 65_536],
            "real": .real(Double(Int.random(in: 0..<1000, using: &generator)) + 0.5),
            "dates": [date(), date()],
            "data": .data(Data((0..<UInt8(seed * 7)).map { $0 })),
            "strings": ["", "é<&>\"' 日😀", .string(String(repeating: "long ", count: Int(seed)))],
            "empty": [[], [:]],
        ]
    }
}
