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

    /// The seconds between the reference date and the dates that remote entries can have: more than 30 million years.
    ///
    /// No write could be later than a date near the end of the range of `Date`, so such a date is unknown. Local dates can be
    /// further away, because a write over the last remote date is later. That write is sent, and its entry is reported.
    private static let longestInterval = 1e15

    /// The date of a value of which nobody knows when it was written: before all writes, so that it replaces none of them.
    static let unknownDate = Date(timeIntervalSince1970: 0)

    /// The local date of a value that belongs to another account than that of the remote store.
    ///
    /// It is a date, and the earliest of all, so that Defaults too takes the remote value.
    static let dateOfOtherAccount = Date.distantPast

    /// Whether this is a local value that belongs to another account than that of the remote store.
    var isOfOtherAccount: Bool { date == Self.dateOfOtherAccount }

    /// The name of the local entry with the date of another entry.
    static func dateName(of name: String) -> String { name + "__DEFAULTS__synchronizeTimestamp" }

    /// The name of the entry whose date another entry has; `nil` for the name of any other entry.
    static func name(ofDateName name: String) -> String? {
        let suffix = dateName(of: "")
        return name.hasUTF8Suffix(suffix) ? String(Substring(name.utf8.dropLast(suffix.utf8.count))) : nil
    }

    /// Makes a value.
    init(_ value: PropertyListValue?, date: Date?) {
        self.value = value
        self.date = date
    }

    /// Reads the two entries of a local store.
    init(of name: String, in table: PropertyListTable) {
        self.init(table[name], date: table[Self.dateName(of: name)]?.dateValue?.ifWithin(2 * Self.longestInterval))
    }

    /// Reads the entry of a remote store; `nil` if no synchronizer wrote it.
    init?(remote: PropertyListValue) {
        guard
            case .array(let parts) = remote, parts.count <= 2,
            let date = parts.first?.dateValue?.ifWithin(Self.longestInterval)
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
    /// This date, unless it is further from the reference date than an interval.
    fileprivate func ifWithin(_ interval: TimeInterval) -> Date? {
        // False for NaN too.
        abs(timeIntervalSinceReferenceDate) < interval ? self : nil
    }
}
