#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The names of the files that belong to a settings file and are beside it.
///
/// A name has at most 255 bytes. So the name of a companion begins with the settings file's name or, if that is long,
/// with its first 200 bytes and a checksum of all of it: two files whose names begin alike have no companion in common.
enum CompanionName {
    /// The part that identifies the settings file.
    ///
    /// - Parameters:
    ///   - name: The name of the settings file.
    ///   - room: How many bytes of it leave room for the rest of the companion's name; more than 212. The journal's room is
    ///     part of its format, because all programs must find the same journal.
    static func stem(of name: String, room: Int = 240) -> String {
        if name.utf8.count <= room { return name }
        let beginning = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        let checksum = CRC32C.checksum(of: Array(name.utf8)[...])
        return "\(beginning).\(String(checksum, radix: 16))"
    }
}

/// The form of the copy from which a damaged file is restored: a line with a checksum, and then the bytes of the file.
enum GoodCopy {
    /// The path of the copy of a file: beside it, hidden.
    static func path(beside file: AbsolutePath) -> AbsolutePath {
        file.sibling(".\(CompanionName.stem(of: file.name)).last-good")
    }

    /// The maximum length of the line with the checksum.
    static let maximumLineLength = 64

    /// The bytes of a copy.
    static func encode(_ contents: [UInt8]) -> [UInt8] {
        Array(line(for: contents[...]).utf8) + contents
    }

    /// The contents of a copy, or `nil` if the checksum does not match.
    static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let contents = bytes[(end + 1)...]
        return bytes[...end].elementsEqual(line(for: contents).utf8) ? Array(contents) : nil
    }

    private static func line(for contents: ArraySlice<UInt8>) -> String {
        "keyspan-copy 1 \(contents.count) \(String(CRC32C.checksum(of: contents), radix: 16))\n"
    }
}

/// The name under which a damaged file is kept: the settings file's name with the kind of file and the time.
struct KeptFileName {
    /// Which file is kept.
    enum Kind: String {
        /// The settings file.
        case file = ""
        /// Its journal.
        case journal = ".journal"
    }

    private let beginning: String

    /// Makes the name of a file that is kept now.
    init(for name: String, _ kind: Kind, at date: Date = Date()) {
        // Seconds since 1970 in the form of ISO 8601 without the characters that some file systems refuse.
        let time = date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
        beginning = "\(CompanionName.stem(of: name, room: 215))\(kind.rawValue).damaged-\(time)"
    }

    /// The name; several attempts may be needed within one second.
    func text(attempt: Int) -> String {
        attempt == 1 ? beginning : "\(beginning)-\(attempt)"
    }
}
