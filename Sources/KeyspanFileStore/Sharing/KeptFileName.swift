#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name under which a damaged file is kept: that of the file with the time and what it is.
struct KeptFileName {
    private let beginning: String

    /// Makes the name of a file that is set aside now.
    init(for name: String, at date: Date = Date()) {
        // Seconds since 1970 in the form of ISO 8601 without the characters that some file systems refuse.
        let time = date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        beginning = "\(String(decoding: name.utf8.prefix(200), as: UTF8.self)).damaged-\(time)"
    }

    /// The name, of which there may be several within one second.
    func text(attempt: Int) -> String {
        attempt == 1 ? beginning : "\(beginning)-\(attempt)"
    }
}
