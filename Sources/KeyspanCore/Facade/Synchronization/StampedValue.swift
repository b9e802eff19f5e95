#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A value or its absence, with the date at which it was written or removed.
///
/// The stored forms are those of the Defaults library. In the local store the date has its own entry beside the value, and
/// stays when the value is removed. In the remote store, which has room for few entries, both share one: an array of the date
/// and the value. For a removed value the array has only the date, which Defaults reads as absent.
struct StampedValue: Hashable {
    /// The value; `nil` if it was removed or never existed.
    var value: PropertyListValue?

    /// When the value was written or removed; `nil` if unknown.
    var date: Date?

    /// The name of the local entry with the date of another entry.
    static func dateName(of name: String) -> String { name + "__DEFAULTS__synchronizeTimestamp" }

    /// Makes a value.
    init(_ value: PropertyListValue?, date: Date?) {
        self.value = value
        self.date = date
    }

    /// Reads the two entries of a local store.
    init(of name: String, in table: PropertyListTable) {
        self.init(table[name], date: table[Self.dateName(of: name)]?.dateValue?.ifNumber)
    }

    /// Reads the entry of a remote store; `nil` if no synchronizer wrote it.
    init?(remote: PropertyListValue) {
        guard
            case .array(let parts) = remote, parts.count <= 2,
            let date = parts.first?.dateValue?.ifNumber
        else { return nil }
        self.init(parts.count == 2 ? parts[1] : nil, date: date)
    }

    /// The entry of a remote store; `nil` without a date.
    var remote: PropertyListValue? {
        date.map { .array([.date($0)] + (value.map { [$0] } ?? [])) }
    }
}

extension StampedValue {
    /// Whether this wins over another one with the same date: a value wins over a removal, and the greater content over the
    /// lesser.
    func wins(over other: StampedValue) -> Bool {
        switch (value, other.value) {
        case (let value?, let other?): value.precedence(over: other) == .higher
        case (let value, nil): value != nil
        case (nil, _?): false
        }
    }
}

extension Date {
    /// This date, unless it is infinite or NaN, which no later write could exceed.
    fileprivate var ifNumber: Date? { timeIntervalSinceReferenceDate.isFinite ? self : nil }
}

/// The order of two values that were written at the same time.
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
    /// and dates by value, texts by their UTF-8, collections by the first difference.
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
    /// An integer with the order of the real numbers: negative zero before positive zero, and NaN after everything else.
    fileprivate var rank: Int64 {
        guard !isNaN else { return .max }
        let bits = Int64(bitPattern: bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }
}
