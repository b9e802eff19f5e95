#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How two values compare that were written at one time.
enum Precedence {
    case lower, same, higher

    /// The precedence of the first value that differs, or of the longer list if none does.
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
    /// Which of two values wins if nothing but their content is known: the same answer on every device.
    ///
    /// The order is total: two values have the same precedence only if they are equal. Values of different kinds go by their kind,
    /// numbers and dates by their value, texts by their UTF-8, collections by the first difference.
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
    /// A number that orders as the values do, with the negative zero before the positive one, and NaN, of which there is one,
    /// behind all others.
    fileprivate var rank: Int64 {
        guard !isNaN else { return .max }
        let bits = Int64(bitPattern: bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }
}
