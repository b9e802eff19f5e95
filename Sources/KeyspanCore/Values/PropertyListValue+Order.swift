#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The order of two values.
enum Precedence {
    case lower, same, higher

    /// The precedence of the first elements that differ, or of the longer list if all are equal.
    static func of<Left: Sequence, Right: Sequence>(
        _ left: Left,
        over right: Right,
        by compare: (Left.Element, Right.Element) -> Precedence
    ) -> Precedence {
        var (left, right) = (left.makeIterator(), right.makeIterator())
        while true {
            switch (left.next(), right.next()) {
            case (nil, nil): return .same
            case (nil, _): return .lower
            case (_, nil): return .higher
            case (let left?, let right?):
                let precedence = compare(left, right)
                if precedence != .same { return precedence }
            }
        }
    }

    /// The precedence of the greater of two values.
    static func of<Value: Comparable>(_ left: Value, over right: Value) -> Precedence {
        left == right ? .same : left < right ? .lower : .higher
    }
}

extension PropertyListValue {
    /// Decides between two values by their content alone, with the same answer on every device.
    ///
    /// The order is total: only equal values have the same precedence. Values of different kinds are ordered by kind, numbers
    /// and dates by value, texts by their UTF-8, data by its bytes, collections by the first difference. Devices must
    /// agree on it, so it never changes.
    func precedence(over other: PropertyListValue) -> Precedence {
        switch (self, other) {
        case (.boolean(let left), .boolean(let right)): .of(left ? 1 : 0, over: right ? 1 : 0)
        case (.integer(let left), .integer(let right)): .of(left, over: right)
        case (.real(let left), .real(let right)): .of(left.rank, over: right.rank)
        case (.string(let left), .string(let right)): .of(UTF8Text(left), over: UTF8Text(right))
        case (.date(let left), .date(let right)):
            .of(left.timeIntervalSinceReferenceDate.rank, over: right.timeIntervalSinceReferenceDate.rank)
        case (.data(let left), .data(let right)): .of(left, over: right) { .of($0, over: $1) }
        case (.array(let left), .array(let right)): .of(left, over: right) { $0.precedence(over: $1) }
        case (.dictionary(let left), .dictionary(let right)):
            .of(left.sortedByName(), over: right.sortedByName()) { left, right in
                let precedence = Precedence.of(UTF8Text(left.key), over: UTF8Text(right.key))
                return precedence == .same ? left.value.precedence(over: right.value) : precedence
            }
        default: .of(rankOfKind, over: other.rankOfKind)
        }
    }

    /// Whether this order puts one value before another, for sorting: unordered collections are stored in it.
    @usableFromInline
    package static func isOrderedBefore(_ left: Self, _ right: Self) -> Bool {
        switch (left, right) {
        // The elements of most sets, of which no two are equal.
        case (.integer(let left), .integer(let right)): left < right
        case (.string(let left), .string(let right)): left.utf8Precedes(right)
        default: left.precedence(over: right) == .lower
        }
    }

    private var rankOfKind: Int {
        switch self {
        case .boolean: 0
        case .integer: 1
        case .real: 2
        case .string: 3
        case .date: 4
        case .data: 5
        case .array: 6
        case .dictionary: 7
        }
    }
}

extension Double {
    /// An integer with the order of the real numbers: negative zero before positive zero, and NaN after everything else.
    fileprivate var rank: Int64 {
        guard !isNaN else { return .max }
        let bits = Int64(bitPattern: bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }
}
