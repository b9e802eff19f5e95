/// The bytes at the start of a journal: its epoch, and the contents of the settings file when the epoch began.
///
/// | Bytes | Field |
/// | --- | --- |
/// | 16 | `keyspan-journal` and a line feed, for people and for `file(1)` |
/// | 4 | the version of the format: 3, or 2 for a journal without reserved space |
/// | 4 | 1 if there is a ``Checkpoint``, otherwise 0, as are all of its fields |
/// | 8 | the epoch |
/// | 8, 8, 4 | epoch, end and chain of the ``Checkpoint`` |
/// | 8, 8, 8, 8, 8 | its file's device, inode, size, times of modification and of change |
/// | 4 | CRC-32C of all bytes before |
///
/// Numbers are little-endian.
package struct JournalHeader: Sendable, Hashable {
    /// The contents of a settings file after a checkpoint: the journal of an epoch, up to an end.
    package struct Checkpoint: Sendable, Hashable {
        /// The position behind the last record that the file contains.
        package let end: JournalPosition
        /// Identifies the file.
        package let file: FileSignature

        /// Makes a checkpoint.
        package init(end: JournalPosition, file: FileSignature) {
            self.end = end
            self.file = file
        }
    }

    /// The version of the format that the journal has.
    private let version: UInt32
    /// A random number that distinguishes this journal from its contents before it was emptied.
    package let epoch: UInt64
    /// The checkpoint after which the journal was emptied, or `nil` for a new journal.
    package let checkpoint: Checkpoint?

    /// Makes a header.
    package init(epoch: UInt64, checkpoint: Checkpoint?) {
        version = Self.version
        self.epoch = epoch
        self.checkpoint = checkpoint
    }

    /// Whether space behind the records may be reserved.
    ///
    /// A program that knows only version 2 may have the journal open. It would take the zeros for damage.
    var allowsReserve: Bool { version == Self.version }

    /// The number of bytes of every header.
    package static let length = 96
    /// The version of the format that is written.
    static let version: UInt32 = 3
    /// The earliest version that is read, whose journals differ only in that they have no reserved space.
    private static let earliestVersion: UInt32 = 2
    private static let magic = Array("keyspan-journal\n".utf8)

    /// Where the first record goes.
    package var start: JournalPosition {
        JournalPosition(epoch: epoch, offset: Self.length, chain: CRC32C.checksum(of: epoch.littleEndianBytes[...]))
    }

    /// The header as it is in the file.
    package var bytes: [UInt8] {
        let file = checkpoint?.file
        let fields =
            Self.magic + version.littleEndianBytes + UInt32(checkpoint == nil ? 0 : 1).littleEndianBytes
            + [epoch, checkpoint?.end.epoch ?? 0].flatMap(\.littleEndianBytes)
            + Int64(checkpoint?.end.offset ?? 0).littleEndianBytes + (checkpoint?.end.chain ?? 0).littleEndianBytes
            + [file?.device ?? 0, file?.inode ?? 0].flatMap(\.littleEndianBytes)
            + [Int64(file?.size ?? 0), file?.modified ?? 0, file?.changed ?? 0].flatMap(\.littleEndianBytes)
        return fields + CRC32C.checksum(of: fields[...]).littleEndianBytes
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: The journal from its first byte; the bytes behind the header are ignored.
    package init(_ bytes: ArraySlice<UInt8>) throws(JournalFault) {
        guard bytes.starts(with: Self.magic.prefix(bytes.count)) else { throw .noJournal }
        guard bytes.count >= Self.length else { throw .incompleteHeader }
        var fields = bytes.dropFirst(Self.magic.count)
        version = UInt32(littleEndianFrom: &fields)
        guard (Self.earliestVersion...Self.version).contains(version) else { throw .unknownVersion(version) }
        let hasCheckpoint = UInt32(littleEndianFrom: &fields) != 0
        epoch = UInt64(littleEndianFrom: &fields)
        let fieldsOfCheckpoint = Checkpoint(
            end: JournalPosition(
                epoch: UInt64(littleEndianFrom: &fields),
                offset: Int(truncatingIfNeeded: Int64(littleEndianFrom: &fields)),
                chain: UInt32(littleEndianFrom: &fields)
            ),
            file: FileSignature(
                device: UInt64(littleEndianFrom: &fields),
                inode: UInt64(littleEndianFrom: &fields),
                size: Int(truncatingIfNeeded: Int64(littleEndianFrom: &fields)),
                modified: Int64(littleEndianFrom: &fields),
                changed: Int64(littleEndianFrom: &fields)
            )
        )
        checkpoint = hasCheckpoint ? fieldsOfCheckpoint : nil
        // Compares the checksum, and all fields that could be written in more than one way.
        guard bytes.prefix(Self.length).elementsEqual(self.bytes) else { throw .damagedHeader }
    }
}

/// Why bytes are not the header of a journal.
package enum JournalFault: Error, Sendable, Hashable {
    /// They are the beginning of a header that is cut off.
    case incompleteHeader
    /// They do not begin as a journal does.
    case noJournal
    /// The journal has another version of the format.
    case unknownVersion(UInt32)
    /// The checksum does not fit, or the fields contradict each other.
    case damagedHeader

    /// The problem, as a clause without a period.
    package var reason: String {
        switch self {
        case .incompleteHeader: "the journal ends within its header"
        case .noJournal: "it is no journal"
        case .unknownVersion(let version):
            "it is a journal of version \(version), and the latest known version is \(JournalHeader.version)"
        case .damagedHeader: "the header of the journal is damaged"
        }
    }

    /// The remedy, as a clause without a period.
    package var remedy: String {
        switch self {
        case .incompleteHeader, .damagedHeader:
            "restore it from a copy, or remove it and with it the changes that the settings file does not have yet"
        case .noJournal: "move it away, since its name belongs to the settings file's journal"
        case .unknownVersion: "open the settings with the version of the program that wrote them last"
        }
    }
}

/// A position in a journal between two records, with everything needed to continue there.
package struct JournalPosition: Sendable, Hashable {
    /// The epoch of the journal.
    package let epoch: UInt64
    /// The number of bytes before it, the header included.
    package let offset: Int
    /// The checksum of the epoch and of all records before it.
    ///
    /// The next record's checksums continue it, so that a record is valid only at its own position in its own epoch.
    package let chain: UInt32

    /// Makes a position.
    package init(epoch: UInt64, offset: Int, chain: UInt32) {
        self.epoch = epoch
        self.offset = offset
        self.chain = chain
    }
}
