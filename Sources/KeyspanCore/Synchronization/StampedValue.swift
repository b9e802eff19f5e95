#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A value, or that there is none, and when that was written.
///
/// These are the forms of the Defaults library. In the local store the date is an entry beside the value, which stays when
/// the value is removed. In the remote store, where entries are few, both are one entry: an array of the date and the
/// value. A removed value is an array of the date alone there, which Defaults takes for no value.
struct StampedValue: Hashable {
    /// The value; `nil` if it was removed, or never there.
    var value: PropertyListValue?

    /// When it was written or removed; `nil` if nobody noted it.
    var date: Date?

    /// The local entry with the date of another one.
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

    /// Reads the entry of a remote store; `nil` if it was not written by a synchroniser.
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
    /// Whether this is the one that counts of two that were written at one time: any value before none, and of two values the
    /// one with the greater content.
    func wins(over other: StampedValue) -> Bool {
        switch (value, other.value) {
        case (let value?, let other?): value.precedence(over: other) == .higher
        case (let value, nil): value != nil
        case (nil, _?): false
        }
    }
}

extension Date {
    /// This date, unless no other is later.
    fileprivate var ifNumber: Date? { timeIntervalSinceReferenceDate.isFinite ? self : nil }
}
