/// One version of a file's contents, told by its length and CRC-32C.
package struct FileVersion: Sendable, Hashable {
    /// The number of bytes.
    package let size: Int
    /// The CRC-32C of all bytes.
    package let checksum: UInt32

    /// Makes a version of what a journal recorded.
    package init(size: Int, checksum: UInt32) {
        self.size = size
        self.checksum = checksum
    }

    /// The version that has these contents.
    package init(_ contents: [UInt8]) {
        self.init(size: contents.count, checksum: CRC32C.checksum(of: contents[...]))
    }

    /// There is no file; no contents are this short, because an empty file is no settings file.
    package static let missing = FileVersion(size: 0, checksum: 0)
}
