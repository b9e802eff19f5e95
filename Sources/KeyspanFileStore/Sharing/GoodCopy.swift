/// The form of the copy that a damaged file is restored from: the bytes of the file behind a line with their checksum.
enum GoodCopy {
    /// Where the copy of a file is: beside it, hidden.
    static func path(beside file: AbsolutePath) -> AbsolutePath {
        file.sibling(".\(CompanionName.stem(of: file.name)).last-good")
    }

    /// The most bytes that a copy has more than the file: the line in front of them.
    static let maximumLineLength = 64

    /// Makes the bytes of a copy.
    static func encode(_ contents: [UInt8]) -> [UInt8] {
        Array(line(for: contents[...]).utf8) + contents
    }

    /// The contents of a copy, or `nil` if they are not what was written.
    static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let contents = bytes[(end + 1)...]
        return bytes[...end].elementsEqual(line(for: contents).utf8) ? Array(contents) : nil
    }

    private static func line(for contents: ArraySlice<UInt8>) -> String {
        "keyspan-copy 1 \(contents.count) \(String(CRC32C.checksum(of: contents), radix: 16))\n"
    }
}
