/// Why bytes are no header of a journal.
package enum JournalFault: Error, Sendable, Hashable {
    /// There are fewer bytes than a header has, and those are the beginning of one.
    case incompleteHeader
    /// They do not begin as a journal does.
    case noJournal
    /// The journal has another version of the format.
    case unknownVersion(UInt32)
    /// The checksum does not fit, or the fields contradict each other.
    case damagedHeader

    /// What is wrong, as a clause without a full stop.
    package var reason: String {
        switch self {
        case .incompleteHeader: "the journal ends within its header"
        case .noJournal: "it is no journal"
        case .unknownVersion(let version):
            "it is a journal of version \(version), and only version \(JournalHeader.version) is known"
        case .damagedHeader: "the header of the journal is damaged"
        }
    }

    /// What to do about it, as a clause without a full stop.
    package var remedy: String {
        switch self {
        case .incompleteHeader, .damagedHeader:
            "restore it from a copy, or remove it and with it the changes that the settings file does not have yet"
        case .noJournal: "move it away, since its name belongs to the settings file's journal"
        case .unknownVersion: "open the settings with the version of the program that wrote them last"
        }
    }
}
