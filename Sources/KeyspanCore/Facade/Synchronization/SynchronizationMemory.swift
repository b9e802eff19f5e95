#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A synchronizer's memory of one entry, which decides its next step.
struct SynchronizationMemory {
    /// The state of the remote entry.
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

    /// The next action for the entry.
    enum Step: Hashable {
        /// Both sides are the same.
        case none
        /// Record when the local value was written.
        case note(StampedValue)
        /// Write the remote value to the local store.
        case receive(StampedValue)
        /// Write the local value to the remote store.
        case send(StampedValue)
        /// Report that no synchronizer wrote the remote entry.
        case reportForeign
    }

    /// The local value when its date was last read or written; a value that differs was written later.
    var noticed: StampedValue?

    /// A local write with its new date, and the older date that it follows, until the local store has shown that it preserves
    /// the difference.
    private var noted: (own: StampedValue, after: Date)?

    /// The date of the last value that both sides had in common.
    var agreed: Date?

    /// The step whose failure was reported.
    var reported: Step?

    /// The next step toward making both sides the same.
    ///
    /// - Parameters:
    ///   - own: The local value.
    ///   - remote: The remote entry.
    ///   - newDate: Makes the date of a write that is later than all of the given dates.
    mutating func nextStep(local own: StampedValue, remote: Remote, newDate: ([Date]) -> Date) -> Step {
        if let noticed, own.date == nil || own.date == noticed.date, own != noticed {
            // `removeAll()` of the store removes dates too; an equal value gets its date back.
            guard own.value != noticed.value else { return .note(noticed) }
            let dates = [noticed.date, remote.date].compactMap(\.self)
            let dated = StampedValue(own.value, date: newDate(dates))
            noted = dates.max().map { (dated, after: $0) }
            return .note(dated)
        }
        if let noted, let date = own.date {
            self.noted = nil
            // A store that keeps only whole seconds has made the write as old as the value that it replaced.
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
            // No synchronizer removed an entry that is gone without a date; perhaps the user has left the account. The removal
            // does not travel, and neither does the value that this device had sent to the other account.
            return date == agreed ? .none : .send(own)
        case .stamped(let other):
            guard let date = own.date, let otherDate = other.date else { return .receive(other) }
            // The same value with a rounded date is the same write: some stores keep only whole seconds.
            if own.value == other.value, abs(date.timeIntervalSince(otherDate)) < 1 {
                agreed = date
                return .none
            }
            if date != otherDate { return date < otherDate ? .receive(other) : .send(own) }
            // A new date would make an old value newer than later writes of other devices. So the content decides, which every
            // device sees alike.
            return own.value == other.value ? .none : other.wins(over: own) ? .receive(other) : .send(own)
        }
    }
}
