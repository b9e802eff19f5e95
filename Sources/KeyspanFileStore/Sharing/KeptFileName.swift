#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name under which something damaged is kept: that of the settings file with what it is and the time.
struct KeptFileName {
    /// What is kept.
    enum Kind: String {
        /// The settings file.
        case file = ""
        /// Its journal.
        case journal = ".journal"
    }

    private let beginning: String

    /// Makes the name of something of a file that is set aside now.
    init(for name: String, _ kind: Kind, at date: Date = Date()) {
        // Seconds since 1970 in the form of ISO 8601 without the characters that some file systems refuse.
        let time = date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        beginning = "\(CompanionName.stem(of: name, room: 215))\(kind.rawValue).damaged-\(time)"
    }

    /// The name, of which there may be several within one second.
    func text(attempt: Int) -> String {
        attempt == 1 ? beginning : "\(beginning)-\(attempt)"
    }
}
