/// A place in a journal between two records, and all that is needed to go on there.
package struct JournalPosition: Sendable, Hashable {
    /// The epoch of the journal.
    package let epoch: UInt64
    /// The number of bytes before it, the header included.
    package let offset: Int
    /// The checksum of the epoch and of all records before it.
    ///
    /// The next record's checksums continue it, so that a record is one only in its own place of its own epoch.
    package let chain: UInt32
}
