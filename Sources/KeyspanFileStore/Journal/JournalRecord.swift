package import KeyspanCore

/// What one append to a journal contains: the writes of a batch, or of several that became durable together.
package struct JournalRecord: Sendable, Hashable {
    /// What happens to one key.
    package struct Write: Sendable, Hashable {
        /// The key.
        @UTF8Text package private(set) var key: String
        /// Its new value, or `nil` if it is removed.
        package let value: PropertyListValue?
        /// What the settings file had for the key before, or `nil` if it had none.
        package let replaced: ValueFingerprint?

        /// Makes a write.
        package init(key: String, value: PropertyListValue?, replaced: ValueFingerprint?) {
            self.key = key
            self.value = value
            self.replaced = replaced
        }
    }

    /// The version of the settings file that this record and the following ones continue.
    ///
    /// Everything before them is in that version. `nil` for a record that continues the one before it.
    package var version: FileVersion?
    /// The version of the file that was replaced by one which has these writes already.
    ///
    /// Such a record is there for those who replace the file by a version that was made of the older one. It changes
    /// nothing else. `nil` for a record whose writes are not in the file.
    package var replaced: ReplacedVersion?
    /// How many bytes directly before the record its writer did not know to be on the disk.
    ///
    /// A power failure may leave the record and take away some of these bytes. All others were on the disk before the
    /// record was written.
    package var unflushed = 0
    /// The writes in any order, one for each key; sorted by key when they were read.
    ///
    /// Of two writes for one key only the value of the last one and the fingerprint of the first one are encoded.
    package var writes: [Write]

    /// Makes a record.
    package init(
        continuing version: FileVersion? = nil,
        replacing replaced: ReplacedVersion? = nil,
        writes: [Write]
    ) {
        self.version = version
        self.replaced = replaced
        self.writes = writes
    }

    /// Makes the bytes of the record for its place in a journal, and the position behind it.
    ///
    /// - Precondition: The text of the values is shorter than 4 GiB.
    package func encoded(at position: JournalPosition) -> (bytes: [UInt8], end: JournalPosition) {
        JournalFrame.encode(JSONText.encode(table), at: position)
    }
}
