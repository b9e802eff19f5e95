/// The bytes at the start of a journal: which epoch it is in, and what the settings file had when that began.
///
/// | Bytes | Field |
/// | --- | --- |
/// | 16 | `keyspan-journal` and a line feed, for people and for `file(1)` |
/// | 4 | the version of the format, 1 |
/// | 4 | 1 if there is a ``Folded``, otherwise 0 and all of its fields too |
/// | 8 | the epoch |
/// | 8, 8 | epoch and end of the ``Folded`` |
/// | 8, 8, 8, 8, 8 | its file's device, inode, size, times of modification and of change |
/// | 4 | CRC-32C of all bytes before |
///
/// Numbers are little-endian.
package struct JournalHeader: Sendable, Hashable {
    /// What a settings file contains: the journal of an epoch, up to an end.
    package struct Folded: Sendable, Hashable {
        /// The epoch of the journal then.
        package let epoch: UInt64
        /// The offset behind the last record that the file contains.
        package let end: Int
        /// How to tell the file.
        package let file: FileSignature

        /// Makes one.
        package init(epoch: UInt64, end: Int, file: FileSignature) {
            self.epoch = epoch
            self.end = end
            self.file = file
        }
    }

    /// The number that tells this journal from what it was before it was emptied; random.
    package let epoch: UInt64
    /// What the file held when the journal was emptied, or `nil` for a new journal.
    package let folded: Folded?

    /// Makes a header.
    package init(epoch: UInt64, folded: Folded?) {
        self.epoch = epoch
        self.folded = folded
    }

    /// The number of bytes of every header.
    package static let length = 92
    /// The version of the format that is read and written.
    static let version: UInt32 = 1
    private static let magic = Array("keyspan-journal\n".utf8)

    /// Where the first record goes.
    package var start: JournalPosition {
        JournalPosition(epoch: epoch, offset: Self.length, chain: CRC32C.checksum(of: epoch.littleEndianBytes[...]))
    }

    /// The header as it is in the file.
    package var bytes: [UInt8] {
        let file = folded?.file
        let fields =
            Self.magic + Self.version.littleEndianBytes + UInt32(folded == nil ? 0 : 1).littleEndianBytes
            + [epoch, folded?.epoch ?? 0].flatMap(\.littleEndianBytes)
            + Int64(folded?.end ?? 0).littleEndianBytes
            + [file?.device ?? 0, file?.inode ?? 0].flatMap(\.littleEndianBytes)
            + [Int64(file?.size ?? 0), file?.modified ?? 0, file?.changed ?? 0].flatMap(\.littleEndianBytes)
        return fields + CRC32C.checksum(of: fields[...]).littleEndianBytes
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: The journal from its first byte; what is behind the header is not looked at.
    package init(_ bytes: ArraySlice<UInt8>) throws(JournalFault) {
        guard bytes.starts(with: Self.magic.prefix(bytes.count)) else { throw .noJournal }
        guard bytes.count >= Self.length else { throw .incompleteHeader }
        var fields = bytes.dropFirst(Self.magic.count)
        let version = UInt32(littleEndianFrom: &fields)
        guard version == Self.version else { throw .unknownVersion(version) }
        let isFolded = UInt32(littleEndianFrom: &fields) != 0
        epoch = UInt64(littleEndianFrom: &fields)
        let content = Folded(
            epoch: UInt64(littleEndianFrom: &fields),
            end: Int(truncatingIfNeeded: Int64(littleEndianFrom: &fields)),
            file: FileSignature(
                device: UInt64(littleEndianFrom: &fields),
                inode: UInt64(littleEndianFrom: &fields),
                size: Int(truncatingIfNeeded: Int64(littleEndianFrom: &fields)),
                modified: Int64(littleEndianFrom: &fields),
                changed: Int64(littleEndianFrom: &fields)
            )
        )
        folded = isFolded ? content : nil
        // Compares the checksum, and whatever could be written in more than one way.
        guard bytes.prefix(Self.length).elementsEqual(self.bytes) else { throw .damagedHeader }
    }
}
