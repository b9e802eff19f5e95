#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a synchroniser remembers of an entry, and what it does next about it.
struct SynchronizationMemory {
    /// What the remote store has.
    enum Remote: Hashable {
        case absent
        case foreign
        case stamped(StampedValue)

        init(_ stored: PropertyListValue) {
            self = StampedValue(remote: stored).map { .stamped($0) } ?? .foreign
        }

        var date: Date? {
            if case .stamped(let other) = self { other.date } else { nil }
        }
    }

    /// What there is to do.
    enum Step: Hashable {
        /// Nothing: both sides are the same.
        case none
        /// Note when the local value was written.
        case note(StampedValue)
        /// Write the remote value to the local store.
        case receive(StampedValue)
        /// Write the local value to the remote store.
        case send(StampedValue)
        /// Tell that the remote entry is none of a synchroniser.
        case reportForeign
    }

    /// What the local store had when its date was last seen or written; a value that differs from it was written since.
    var noticed: StampedValue?

    /// A local write with its date, and what that is later than, until the local store has shown that it keeps the difference.
    private var noted: (own: StampedValue, after: Date)?

    /// The date of what was last the same on both sides.
    var agreed: Date?

    /// What could not be done and was reported.
    var reported: Step?

    /// What to do to make both sides the same.
    ///
    /// - Parameters:
    ///   - own: What the local store has.
    ///   - remote: What the remote store has.
    ///   - newDate: The date of a write that is later than all of those.
    mutating func nextStep(local own: StampedValue, remote: Remote, newDate: ([Date]) -> Date) -> Step {
        if let noticed, own.date == nil || own.date == noticed.date, own != noticed {
            // A removed date, as `removeAll()` of the store leaves it, is restored where the value is the same.
            guard own.value != noticed.value else { return .note(noticed) }
            let dates = [noticed.date, remote.date].compactMap(\.self)
            let dated = StampedValue(own.value, date: newDate(dates))
            noted = dates.max().map { (dated, after: $0) }
            return .note(dated)
        }
        if let noted, let date = own.date {
            self.noted = nil
            // A store that keeps whole seconds has made the write as old as what it took the place of.
            if noted.own == noticed, own.value == noticed?.value, date <= noted.after {
                return .note(StampedValue(own.value, date: newDate([noted.after.addingTimeInterval(1)])))
            }
        }
        noticed = own.date == nil ? noticed : own
        switch remote {
        case .foreign:
            return .reportForeign
        case .absent:
            guard own.value != nil else { return .none }
            guard let date = own.date else { return .note(StampedValue(own.value, date: newDate([]))) }
            // What was there and is gone without a date was not removed by a synchroniser: perhaps the user has left
            // the account. It does not travel, and neither does what this device had sent to the other account.
            return date == agreed ? .none : .send(own)
        case .stamped(let other):
            guard let date = own.date, let otherDate = other.date else { return .receive(other) }
            // The same value with a date that was rounded is no other write: some stores keep whole seconds.
            if own.value == other.value, abs(date.timeIntervalSince(otherDate)) < 1 {
                agreed = date
                return .none
            }
            if date != otherDate { return date < otherDate ? .receive(other) : .send(own) }
            // A new date would make one of two old values newer than what other devices have written since. The content is
            // the same everywhere, so every device chooses the same value.
            return own.value == other.value ? .none : other.wins(over: own) ? .receive(other) : .send(own)
        }
    }
}
