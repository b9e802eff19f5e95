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

    /// The local value as it was stored when it was last seen; a value that differs was written later.
    var noticed: StampedValue

    /// The last value that was written to the local store, with its exact date, which some stores round, and the date that the
    /// rounded one must exceed.
    private var exact: (own: StampedValue, after: Date?)?

    /// The date of the last value that both sides had in common.
    var agreed: Date?

    /// The step whose failure was reported.
    var reported: Step?

    /// Makes the memory of an entry.
    ///
    /// - Parameter noticed: The local value when the entry is added.
    init(noticed: StampedValue) {
        self.noticed = noticed
    }

    /// The next step toward making both sides the same.
    ///
    /// - Parameters:
    ///   - stored: The local value.
    ///   - remote: The remote entry.
    ///   - newDate: Makes the date of a write that is later than all of the given dates.
    mutating func nextStep(local stored: StampedValue, remote: Remote, newDate: ([Date]) -> Date) -> Step {
        if stored.date == nil || stored.date == noticed.date, stored != noticed {
            // `removeAll()` of the store removes dates too; an equal value gets its date back.
            guard stored.value != noticed.value else { return .note(noticed) }
            let dates = [exact?.own.date ?? noticed.date, remote.date].compactMap(\.self)
            let own = StampedValue(stored.value, date: newDate(dates))
            exact = (own, after: dates.max())
            return .note(own)
        }
        noticed = stored
        var own = stored
        // Most stores keep the date exactly. One that keeps whole seconds has rounded it.
        if let exact, let date = stored.date, let exactDate = exact.own.date, stored.value == exact.own.value,
            abs(date.timeIntervalSince(exactDate)) < 1
        {
            own.date = exactDate
            // As old as the value that it replaces, the value would lose against that one after a restart.
            if let after = exact.after, date <= after {
                self.exact?.after = nil
                return .note(StampedValue(stored.value, date: after.addingTimeInterval(1)))
            }
        } else {
            exact = nil
        }
        switch remote {
        case .foreign:
            return .reportForeign
        case .absent:
            guard own.value != nil else { return .none }
            guard let date = own.date else { return .note(StampedValue(own.value, date: StampedValue.unknownDate)) }
            // No synchronizer removed an entry that is gone without a date; perhaps the user has left the account. The removal
            // does not travel, and neither does the value that this device had sent to the other account.
            return date == agreed || own.isOfOtherAccount ? .none : .send(own)
        case .stamped(let other):
            if own.isOfOtherAccount {
                // The values of that account can still be there for a while, so what comes is not known to be of the new one. The mark
                // stays until the value is written here.
                return own.value == other.value
                    ? .none : receive(StampedValue(other.value, date: StampedValue.dateOfOtherAccount))
            }
            guard let date = own.date, let otherDate = other.date else { return receive(other) }
            // The same value with a rounded date is the same write: some stores keep only whole seconds.
            if own.value == other.value, abs(date.timeIntervalSince(otherDate)) < 1 {
                agreed = date
                return .none
            }
            if date != otherDate { return date < otherDate ? receive(other) : .send(own) }
            // A new date would make an old value newer than later writes of other devices. So the content decides, which every
            // device sees alike.
            return own.value == other.value ? .none : other.wins(over: own) ? receive(other) : .send(own)
        }
    }

    private mutating func receive(_ other: StampedValue) -> Step {
        exact = (other, after: nil)
        return .receive(other)
    }
}
